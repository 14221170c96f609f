// Plays games through an exported plan, with nothing of the Python: node lockstep.mjs base.json < games.
import { readFileSync } from "node:fs";
import { beginNoted, playNoted } from "../../tools/page/src/events.js";
import { Machine } from "../../tools/page/src/machine.js";
import { Position, moveText, text, toldText } from "../../tools/page/src/position.js";
import { sample } from "../../tools/page/src/sample.js";
import { meant } from "../../tools/page/src/typed.js";
import { Words } from "../../tools/page/src/words.js";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const spoken = ["en", "es"].map((language) => new Words(plan, language));
const games = JSON.parse(readFileSync(0, "utf8"));

const played = games.map(({ players, seed, picks }) => {
  const own = plan.games.find((each) => each.players === players);
  const machine = new Machine(own, new WebAssembly.Module(Buffer.from(own.module, "base64")));
  const position = new Position(plan, machine);
  const written = (events) => events.map(({ event, values, to }) => `${event} ${values.map(text).join(" ")}${to ? ` to ${to.join(" ")}` : ""}`);
  const opening = written(beginNoted(position, BigInt(seed)));
  const told = [];
  for (let at = 0; position.mover !== null && at < picks.length; at++) {
    const moves = position.moves();
    const views = () => own.zones.map((_, zone) =>
      Array.from({ length: players }, (_, seat) =>
        position.seenIn(zone, seat).map((each) => (typeof each === "number" ? position.pieceName(each) : `?${(each ?? []).map(toldText).join("")}`)).join(" "),
      ),
    );
    const zones = views();
    let drawn = null;
    if (at % 8 === 0) {
      const kept = machine.keep();
      sample(position, at % players, BigInt(at));
      drawn = views();
      if (drawn.some((each, zone) => each[at % players] !== zones[zone][at % players])) throw new Error(`the sample at ${at} looks different`);
      machine.restore(kept);
      machine.call("enumerate_moves");
    }
    const states = plan.pieces.kind.flatMap((_, piece) => (position.plays(piece) ? position.statesOf(piece).map(({ state, value }) => [piece, state, text(value)]) : []));
    const { key, about } = position.asked();
    const words = spoken.map((each) => moves.map((move) => each.move(move, { mover: position.mover, about })));
    const decision = [position.mover, key, moves.map(moveText), words, position.scores(), zones, states, drawn];
    const row = picks[at] % moves.length;
    const typed = meant(moveText(moves[row]), moves, (move) => spoken[0].move(move, { mover: position.mover, about }));
    if (typed.length !== 1 || typed[0] !== row) throw new Error(`typed ${moveText(moves[row])} means ${typed} for ${row}`);
    const { events, gains } = playNoted(position, row, moves[row].args);
    told.push([...decision, written(events), gains.map(({ seat, source, amount, subject, terms }) => [seat, source, amount, subject && text(subject), terms.map(({ name, value }) => [name, value])]),
      spoken.map((each) => [events.map((event) => each.event(event)), gains.map((gain) => each.gain(gain))])]);
  }
  return { opening, told, scores: position.scores(), winners: position.winners() };
});
console.log(JSON.stringify(played));
