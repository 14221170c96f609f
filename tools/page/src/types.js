/**
 * The exported plan (schemas/plan.schema.json) and the messages between the page and its worker.
 *
 * @typedef {{type: string, enum?: string, set?: boolean, optional?: boolean}} Type
 * @typedef {[string, Record<string, string | number>, ...any[]]} Tree an SVG element
 * @typedef {{grid: number | null, track: number | null, box: [number, number, number, number]}} OnBoard
 * @typedef {{size: [number, number], ground?: Tree[], marks?: {at: [number, number], drawn: Tree[]}[],
 *   spots?: [number, number][][], faces?: Tree[][], stands?: Tree[][]}} Drawing
 * @typedef {{size: [number, number], segments: {kind: string, names: string[], words: number[]}[]}} Outline
 * @typedef {{key: string, ruleset: string, text: string, class: string, faces: string[],
 *   outlines: (Outline | null)[], drawn: Record<string, Drawing>}} Kind
 * @typedef {{role: string, address: number, size: number, type: string, low: number, high: number}} Table
 * @typedef {{name: string, type: Type, secret: boolean, room?: number}} Argument a set has that many numbers in a row
 * @typedef {{key: string, name: string, arguments: Argument[]}} Option
 * @typedef {{key: string, arguments: {name: string, offset: number, type: Type}[], options: Option[]}} Choice
 * @typedef {{key: string, owner: string, type: Type, index: Type[], sizes: number[], table: string,
 *   cells: string | null, first: number, owners: number, members: number[] | null}} StateTable
 * @typedef {{of: number, index: number, indices: number[], name: string}} Instance a zone or grid
 * @typedef {{players: number, state: number, slots: number, tables: Record<string, Table>,
 *   segments: number[], zones: Instance[], grids: Instance[], choices: Choice[], states: StateTable[], actions: Type[][], terms: string[],
 *   module?: string}} PlayersPlan
 * @typedef {{plan: number, ruleset: string, digest: string,
 *   rulesets: {id: string, version: string, digest: string, interaction: boolean, house: boolean}[],
 *   settings: Record<string, number | boolean | string>, score: string, fewest: boolean, limit: number,
 *   colours: {name: string, fill: string}[], enums: Record<string, string[]>,
 *   features: {key: string, fill: string}[],
 *   images: Tree[],
 *   grids: {key: string, name: string, size: [number, number] | null, cells: string, over: number | null, alone: number, absent: boolean, drawn: Tree[]}[],
 *   zones: {key: string, name: string, per: string | string[] | null, ordered: boolean, visible: string, absent: boolean, board: OnBoard | null, drawn: Tree[], back: Tree[]}[],
 *   tracks: {key: string, name: string, length: number, loop: boolean, board: (OnBoard & {spaces: [number, number][], width: number, drawn: Tree[]}) | null, printed: Tree[][]}[], sources: string[],
 *   kinds: Kind[], words: Record<string, string[]>, pieces: {kind: number[], seat: (number | null)[], copy: number[]},
 *   labels: Record<string, Record<string, string>>, lines: Record<string, Record<string, string>>, said: {key: string, types: Type[]}[],
 *   answers: {attribute: string, values: Told["value"][], first: number}[], rules: Rules, games: PlayersPlan[]}} Plan
 * @typedef {[text: number, first: number, last: number]} Lines
 * @typedef {{texts: {ruleset: string, file: string, text: string}[], options: Record<string, Lines[]>,
 *   sources: Record<string, Lines[]>}} Rules
 *
 * @typedef {{x: number, y: number, grid: string, full?: boolean}} Place
 * @typedef {{x: number, y: number, rotation: number, grid: string}} Spot
 * @typedef {null | number | boolean | string | Place | Spot | Said | any[]} Plain in events and points, segments and features are `Said`
 * @typedef {{text: number, piece: number, at: string}} SegmentWords the number of its text, and its cell
 * @typedef {{plain: string, own?: {seat: number | null, name: string}, segment?: SegmentWords, cell?: Plain,
 *   told?: Told[], unknown?: Unknown}} Said what people read of a
 *   segment or feature, or of a piece and the segment or cell that it is on; its `own` name is for its owner
 * @typedef {{cls: string, owner: string | null, place: Plain, number: number, told: Told[]}} Unknown a piece that the mover does not know, by its place
 * @typedef {{name: string, type: Type, number: number | number[], plain: Plain, said?: Said, unknown?: Unknown, each?: Given[]}} Given a named value
 * @typedef {{name: string, args: Given[], secret: string[], weight: number}} Move
 *
 * @typedef {{piece: number, kind: number, face: number, grid: number, x: number, y: number,
 *   rotation: number}} Laid
 * @typedef {{attribute: string, value: number | boolean | string | null, so: boolean}} Told an answer that a player was told
 * @typedef {{piece: number, kind: number, seat: number | null, face: number, states?: {state: string, value: Plain}[], told?: Told[]}} Seen a piece; if it is
 *   `told`, one that the viewer does not know, and of which the viewer was told this
 * @typedef {{zone: number, pieces: (Seen | null)[]}} ZoneView
 * @typedef {{key: string, owner: number | null, index: Plain[], value: Plain}} StateView
 * @typedef {{number: number, by: number, move: string, args: [string, string][], hidden: boolean,
 *   choice: string, about: Given[], plain: Given[], secret: string[],
 *   gains: Gain[], events: GameEvent[], segments: number[], taken: boolean}} LogEntry
 * @typedef {{seat: number, source: string, amount: number, subject: string | Said | null, terms: {name: string, value: number}[]}} Gain
 * @typedef {{event: string, values: Plain[], to?: number[]}} GameEvent `to` has the seats that may see it, if not all
 * @typedef {{piece: string | null, standing: string[],
 *   features: {name: string, pieces: number, segments: number[], standing: string[]}[],
 *   refused: null | {option: string | null, options: string[], taken: boolean,
 *     turns: {rotation: number, fits: boolean, sides: {side: string, own: string[], other: string[]}[]}[]}}} CellReport
 * @typedef {{length: number, at: number, mover: number | null, over: boolean, cut: boolean, winners: number[],
 *   scores: number[], choice: string | null, about: Given[], moves: Move[], laid: Laid[],
 *   segments: {segment: number, piece: number, index: number, standing: Seen[]}[],
 *   cells: {grid: number, x: number, y: number, standing: Seen[], height: number}[],
 *   zones: ZoneView[], tracks: {track: number, space: number, standing: Seen[]}[],
 *   states: StateView[], unseen: Seen[], gained: number[][], log: LogEntry[], opening: GameEvent[], curve: number[][], last: Laid[],
 *   undo: {to: number, fair: boolean} | null, hides: boolean, viewer: number | null, seed: string, players: number}} View
 */
export {};
