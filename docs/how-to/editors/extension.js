// Starts `rulesdsl lsp` for rules and manifests, and stops it with the editor.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("rulesdsl");
  const server = { command: settings.get("command"), args: ["lsp", "--stdio"] };
  client = new LanguageClient("rulesdsl", "rulesdsl", server, {
    documentSelector: [{ language: "rulesdsl" }, { language: "yaml", scheme: "file" }],
    initializationOptions: { with: settings.get("with"), path: settings.get("path") },
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{rules,yaml,yml}") },
  });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
