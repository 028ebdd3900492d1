import { expect, it } from 'vitest'
import { Service } from './service.js'

/** What a program does before and after its application listens. */
interface Program {
  readonly options?: string
  readonly before?: string
  readonly after?: string
}

/** Runs a program; returns what Node writes, which names each module that it compiles. */
async function outputOf({ options = '{}', before = '', after = '' }: Program) {
  const program = `
    ${before}
    const app = new App(${options})
    await app.listen(0, { announce: false })
    ${after}
    await app.close()`
  const service = Service.start(program, { NODE_DEBUG: 'esm' })
  expect(await service.ended).toBe(0)
  expect(service.output).toContain('chunks/app.js')
  return service.output
}

/** Runs a program; returns whether it has loaded a chunk. */
async function run(program: Program) {
  const output = await outputOf(program)
  return (chunk: string) => output.includes(`chunks/${chunk}.js`)
}

it('an application without options loads only a few files of the package', async () => {
  const output = await outputOf({})
  const [, folder = ''] = /(file:\S+\/dist\/)chunks\/app\.js/.exec(output) ?? []
  const urls = output.match(/file:[^\s'"]+\.c?js\b/g) ?? []
  const own = urls.filter((url) => url.startsWith(folder)).map((url) => url.slice(folder.length))
  const chunks = ['app-imports', 'app', 'command', 'ground'].map((name) => `chunks/${name}.js`)
  expect([...new Set(own)].sort()).toEqual([...chunks, 'commonjs.cjs', 'index.js'])
})

/** What no application loads without the option, the call or the decorator that needs it. */
const OPTIONAL = [
  ...['health-plugin', 'check-foreign', 'start-tenancy', 'limit-stage', 'fetch', 'compile-stream'],
  ...['standard-schema', 'json-schema', 'query-lists'],
]

it('an application without options does not load the code of any option', async () => {
  expect(OPTIONAL.filter(await run({}))).toEqual([])
})

it('an application loads the code of the options, the calls and the decorators that it uses', async () => {
  const before = `
    import { Sse } from 'blazon'
    Reflect.getOwnMetadataKeys = () => []
    class Feed { async *read() {} }
    const descriptor = Object.getOwnPropertyDescriptor(Feed.prototype, 'read')
    for (const decorate of [Sse({ type: 'object' }), Get()]) decorate(Feed.prototype, 'read', descriptor)
    Controller('feed')(Feed)`
  const options =
    "{ controllers: [Feed], health: true, tenant: {}, rateLimit: { limit: 9, window: '1m' } }"
  const after = `await app.fetch(new Request('http://localhost/'))`
  const isLoaded = await run({ before, options, after })
  expect(OPTIONAL.slice(0, 6).filter((chunk) => !isLoaded(chunk))).toEqual([])
})

it.each([
  ['health-plugin', '{ health: true }'],
  ['start-tenancy', '{ tenant: {} }'],
])(
  'an application that needs %s does not load the code of other options',
  async (needed, options) => {
    const isLoaded = await run({ options })
    expect(OPTIONAL.filter(isLoaded)).toEqual([needed])
  },
)

/** An application with one route that has this decorator. */
function routeWith(decorator: string): Program {
  const before = `
    import { Body, Cookies, stripeWebhooks, Webhook } from 'blazon'
    class Inbox { add() {} }
    const descriptor = Object.getOwnPropertyDescriptor(Inbox.prototype, 'add')
    for (const decorate of [Post(), ${decorator}]) decorate(Inbox.prototype, 'add', descriptor)
    Controller('inbox')(Inbox)`
  return { options: '{ controllers: [Inbox] }', before }
}

it.each([
  [`Body({ type: 'object' })`, []],
  [`Body({ type: 'object' }, { type: 'form' })`, ['bodies']],
  [`Cookies({ type: 'object' })`, ['cookies']],
  [`Webhook(stripeWebhooks('secret'))`, ['bodies', 'webhook-check']],
])('an application with %s loads only the code that it needs: %j', async (decorator, needed) => {
  const isLoaded = await run(routeWith(decorator))
  expect(['bodies', 'cookies', 'webhook-check'].filter(isLoaded)).toEqual(needed)
})

it.each([
  ["{ type: 'object' }", ['json-schema']],
  [
    "{ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }",
    ['standard-schema'],
  ],
])('an application with the schema %s loads only the code for it: %j', async (schema, needed) => {
  const isLoaded = await run(routeWith(`Body(${schema})`))
  const chunks = ['standard-schema', 'json-schema', 'bound-valibot', 'bound-arktype', 'query-lists']
  expect(chunks.filter(isLoaded)).toEqual(needed)
})
