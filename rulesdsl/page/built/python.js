"use strict";(()=>{var l="https://offline.invalid/",m=`
import json, os, sys
os.environ["RULESDSL_NO_CACHE"] = "1"
os.makedirs("/project", exist_ok=True)
from rulesdsl.studio.project import Project
from rulesdsl.studio.session import Session
session = Session(Project("/project"), saves=False)
def answer(text):
    return json.dumps(session.answer(json.loads(text)))
answer
`,r=null,i=(e,s)=>URL.createObjectURL(new Blob([e],{type:s}));async function u(e){let s={"pyodide.asm.wasm":()=>new Response(e["pyodide.asm.wasm"],{headers:{"content-type":"application/wasm"}}),"python_stdlib.zip":()=>new Response(e["python_stdlib.zip"])};globalThis.fetch=async o=>{let n=String(o instanceof Request?o.url:o).split("/").pop()??"";if(!s[n])throw new TypeError("there is no network here");return s[n]()};let{default:a}=await import(i(e["pyodide.asm.mjs"],"text/javascript")),{loadPyodide:c}=await import(i(e["pyodide.mjs"],"text/javascript")),d=new TextDecoder().decode(e["pyodide-lock.json"]),t=await c({createPyodideModule:a,indexURL:l,lockFileContents:d,stdout:()=>{},stderr:()=>{}}),p=t.runPython("import site; site.getsitepackages()[0]");t.unpackArchive(e["rulesdsl.zip"],"zip",{extractDir:p}),r=t.runPython(m)}addEventListener("message",async({data:e})=>{try{e.parts?(await u(e.parts),postMessage({ready:!0})):postMessage({id:e.id,answer:r(e.text)})}catch(s){postMessage({id:e.id,failed:s instanceof Error?`${s.message}`:String(s)})}});})();
