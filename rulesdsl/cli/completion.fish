# completion of rulesdsl in fish
function __rulesdsl_complete
    set -l words (commandline -op)
    for line in ($words[1] --complete (commandline -cp | string collect) 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo -- $line
        end
    end
end
complete -c rulesdsl -f -a '(__rulesdsl_complete)'
