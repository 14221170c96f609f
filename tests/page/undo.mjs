// Plays games in sessions of the page, and tells after each move what can be undone: node undo.mjs plan.json < games.
import { readFileSync } from "node:fs";
import { Session } from "../../tools/page/src/session.js";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const games = JSON.parse(readFileSync(0, "utf8"));

const played = games.map(({ players, seed, picks, humans }) => {
  const own = plan.games.find((each) => each.players === players);
  const module = new WebAssembly.Module(Buffer.from(own.module, "base64"));
  const session = new Session(plan, module, players, BigInt(seed));
  return picks.map((pick) => {
    if (session.position.mover === null) return null;
    session.play(pick % session.position.moves().length);
    return humans.map((each) => session.undo(each));
  });
});
console.log(JSON.stringify(played));
