import { beforeAll, describe, expect, it } from 'vitest'
import { compileLines } from './compiler-lines.js'

const HEAD = `import { Body, Get, get, HttpCode, page, type Paged, Post, post, type Req } from 'blazon'
import { z } from 'zod'
const Note = z.object({ id: z.number(), text: z.string() })
const NoteId = z.object({ id: z.coerce.number() })
const NewNote = z.object({ text: z.string() })
type NoteId = z.output<typeof NoteId>
type NewNote = z.output<typeof NewNote>
const Pages = page(Note)
declare const notes: z.output<typeof Note>[]
`
const PAGE =
  'The handler reads `page`: add `paged` to the options of the route, or declare all parts with decorators, including @Paged.'

/** Members of a class, and why they do not compile. */
const MISTAKES: readonly (readonly [member: string, text: string])[] = [
  // The data of a success.
  [
    "@Get('', { returns: Note }) m() { return { id: 1 } }",
    'The handler does not return `text`, which the schema of `returns` requires.',
  ],
  [
    "@Get('', { returns: Note }) m() { return { id: '1', text: '' } }",
    'The type of `id` that the handler returns differs from the schema of `returns`.',
  ],
  [
    "@Get('', { returns: Note }) m() { return notes.find(({ id }) => id === 1) }",
    'The handler can return undefined, which the schema of `returns` does not allow.',
  ],
  [
    "@Get('', { returns: Note }) m() { return null as z.output<typeof Note> | null }",
    'The handler can return null, which the schema of `returns` does not allow.',
  ],
  [
    "@Get('', { returns: z.array(Note) }) m() { return { id: 1, text: '' } }",
    'The schema of `returns` describes a list, but the handler does not return one.',
  ],
  [
    "@Get('', { returns: Note }) m() { return notes }",
    'The handler returns a list, but the schema of `returns` does not describe one.',
  ],
  [
    "@Get('', { returns: z.array(Note) }) async m() { return [{ id: 1 }] }",
    'The handler does not return `text`, which the schema of `returns` requires.',
  ],
  [
    "@Get('', { returns: Note }) m() { return 'a note' }",
    'The type that the handler returns differs from the schema of `returns`.',
  ],
  // The parts of the request.
  [
    "@Post('', { summary: 'Add' }) m(_: { body: NewNote }) {}",
    'The options of the route lack `body` or `upload`, which the handler reads: add it to the options, or declare all parts with decorators.',
  ],
  [
    "@Get(':id', { params: NoteId }) m(_: { params: { id: string } }) {}",
    'The request type of the handler and the options of the route differ in `params`.',
  ],
  [
    "@Get('', { query: NewNote }) m(_: { query: { page: number } }) {}",
    'The request type of the handler and the options of the route differ in `query`.',
  ],
  [
    "@Get(':id', { params: NoteId }) m(_: { prams: NoteId }) {}",
    'The handler reads `prams`, which its request does not have.',
  ],
  [
    "@Get(':id', { params: NoteId }) m(_: { params: NoteId }, __: number) {}",
    'The parameters of the handler must be the request, the response and `next` of its route.',
  ],
  ["@Get('', { summary: 'All' }) m(_: Paged<typeof Pages>) {}", PAGE],
  ["@Get('', { summary: 'All' }) m(_: Req & Paged<typeof Pages>) {}", PAGE],
  // The options.
  [
    "@Post('', { status: '201' }) m() {}",
    "error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    "@Get('', { retruns: Note }) m() {}",
    "error TS2561: Object literal may only specify known properties, but 'retruns' does not exist in type 'RouteOptions & NoOthers<RouteOptions>'. Did you mean to write 'returns'?",
  ],
  [
    "@Get('', { returns: 'Note' }) m() {}",
    "error TS2322: Type 'string' is not assignable to type 'Schema | undefined'.",
  ],
  [
    "@Get('', { errors: { 404: 5 } }) m() {}",
    "error TS2322: Type 'number' is not assignable to type 'string | Omit<ApiResponseOptions, \"status\">'.",
  ],
  [
    "@Post('', { can: 7 }) m() {}",
    "error TS2322: Type 'number' is not assignable to type 'string | readonly string[] | undefined'.",
  ],
  [
    "@Get('', { cache: { tll: '1m' } }) m() {}",
    "error TS2353: Object literal may only specify known properties, and 'tll' does not exist in type 'CacheDecoratorOptions'.",
  ],
  [
    "@Get('', { rateLimit: { limit: 3 } }) m() {}",
    "error TS2322: Type '{ limit: number; }' is not assignable to type 'false | RateLimitPolicy | readonly RateLimitPolicy[] | undefined'.",
  ],
  [
    "@Get('', { paged: Note }) m() {}",
    "error TS2739: Type 'ZodObject<{ id: ZodNumber; text: ZodString; }, $strip>' is missing the following properties from type 'Pages<any, unknown>': query, response, definition",
  ],
  [
    "@Get('', { paged: Pages }) m({ page }: Paged<typeof Pages>) { return page.of(notes) }",
    'error TS2554: Expected 2 arguments, but got 1.',
  ],
  // Fields: the text is at the returned value, or in the second line.
  [
    "m = get('/', { returns: Note }, () => ({ id: 1 }))",
    'The handler does not return `text`, which the schema of `returns` requires.',
  ],
  [
    "m = get('/:id', { params: NoteId, returns: Note }, async ({ params }) => { return { ...params, text: 1 } })",
    'The type of `text` that the handler returns differs from the schema of `returns`.',
  ],
  [
    "m = get('/', { returns: Note }, () => notes.find(({ id }) => id === 1))",
    'The handler can return undefined, which the schema of `returns` does not allow.',
  ],
  [
    "m = post('/', { body: NewNote }, ({ body }) => body.title)",
    "error TS2339: Property 'title' does not exist on type '{ text: string; }'.",
  ],
  ["m = post('/', {}, ({ body }) => body.text)", "error TS18046: 'body' is of type 'unknown'."],
  [
    "m = post('/', { status: '201' }, () => 1)",
    "error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    "m = get('/', { retruns: Note }, () => 1)",
    "error TS2561: Object literal may only specify known properties, but 'retruns' does not exist in type 'RouteOptions & NoOthers<RouteOptions>'. Did you mean to write 'returns'?",
  ],
  [
    "m = get('/', { paged: Pages }, ({ page }) => page.of(notes))",
    'error TS2554: Expected 2 arguments, but got 1.',
  ],
  [
    "@HttpCode('201') @Post() m() {}",
    "error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  ],
]

/** The lines that the compiler prints of every overloaded function. */
const OF_OVERLOADS =
  /^ +(?:No overload matches this call|The last overload gave the following error)\.$/

describe.each(['standard', 'legacy'] as const)(
  'the error of the compiler for a mistake in the %s dialect',
  (dialect) => {
    let found: readonly (readonly string[])[]
    beforeAll(async () => {
      const lines = MISTAKES.map(([member], index) => `export class T${index} { ${member} }`)
      found = await compileLines({ name: 'mistakes', dialect, head: HEAD, lines })
    })

    it.each(MISTAKES.map((each, index) => [...each, index] as const))(
      'has at most two lines and the expected text: %s',
      (_, text, index) => {
        const lines = (found[index] ?? []).filter((line) => !OF_OVERLOADS.test(line))
        const [, explained] =
          / is not assignable to (?:parameter of )?type '"(.*)"'\.$/.exec(lines.at(-1) ?? '') ?? []
        expect(explained ?? lines[0]).toBe(text)
        expect(lines.length).toBeLessThanOrEqual(2)
      },
    )
  },
)
