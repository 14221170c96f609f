"use strict";(()=>{var m="https://offline.invalid/",l=`
import json, os, sys
os.environ["RULESDSL_NO_CACHE"] = "1"
os.makedirs("/project", exist_ok=True)
from rulesdsl.studio.project import Project
from rulesdsl.studio.session import Session
session = Session(Project("/project"), saves=False)
def answer(text):
    return json.dumps(session.answer(json.loads(text)))
answer
`,a=null,i=(e,s)=>URL.createObjectURL(new Blob([e],{type:s}));async function y(e){let s={"pyodide.asm.wasm":()=>new Response(e["pyodide.asm.wasm"],{headers:{"content-type":"application/wasm"}}),"python_stdlib.zip":()=>new Response(e["python_stdlib.zip"])};globalThis.fetch=async n=>{let r=String(n instanceof Request?n.url:n).split("/").pop()??"";if(!s[r])throw new TypeError("there is no network here");return s[r]()};let{default:t}=await import(i(e["pyodide.asm.mjs"],"text/javascript")),{loadPyodide:p}=await import(i(e["pyodide.mjs"],"text/javascript")),c=new TextDecoder().decode(e["pyodide-lock.json"]),o=await p({createPyodideModule:t,indexURL:m,lockFileContents:c,stdout:()=>{},stderr:()=>{}});performance.mark("python");let d=o.runPython("import site; site.getsitepackages()[0]");o.unpackArchive(e["rulesdsl.zip"],"zip",{extractDir:d}),performance.mark("unpacked"),a=o.runPython(l),performance.mark("imported")}addEventListener("message",async({data:e})=>{try{e.parts?(await y(e.parts),postMessage({ready:performance.getEntriesByType("mark").map(({name:s,startTime:t})=>[s,t])})):postMessage({id:e.id,answer:a(e.text)})}catch(s){postMessage({id:e.id,failed:s instanceof Error?`${s.message}`:String(s)})}});})();
