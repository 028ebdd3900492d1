import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import type { OpenApiDocument, OpenApiSchema } from '../../src/contracts/openapi.js'
import { outputOf } from '../docs/snippets.js'
import { root } from '../root.js'
import { hostileDocument } from './hostile-document.js'
import { pagedApp } from './paged-app.js'
import { documentOfShop } from './shop.js'

const FOLDER = join(root, '.cache', 'client-types')

const EMPTY: OpenApiDocument = {
  openapi: '3.0.3',
  info: { title: 'Empty', version: '1' },
  servers: [],
  tags: [],
  paths: {},
  components: {},
}

const object = (properties: object) => ({ type: 'object', properties }) as OpenApiSchema
const json = (name: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
})

/** A request contains an order with lines; a response contains a receipt. */
const ORDERS: OpenApiDocument = {
  ...EMPTY,
  paths: {
    '/orders': {
      post: {
        operationId: 'Orders_add',
        tags: ['Orders'],
        requestBody: { required: true, content: json('Order') },
        responses: { '200': { description: 'Done', content: json('Receipt') } },
      },
    },
  },
  components: {
    schemas: {
      Order: object({ lines: { type: 'array', items: { $ref: '#/components/schemas/Line' } } }),
      Line: object({ note: { type: 'string' } }),
      Receipt: object({ total: { type: 'number' } }),
    },
  },
}

const USE_ORDERS = `
import { createClient, type Receipt } from './orders.js'

const { orders } = createClient({ baseUrl: 'http://localhost' })
orders.add({ body: { lines: undefined } })
orders.add({ body: { lines: [{ note: undefined }] } })
// @ts-expect-error A response has a number, or no such field.
export const receipt: Receipt = { total: undefined }
`

/** Code that must compile, and lines that must not. */
const USE = `
import { createClient, type ErrorBody, type SuccessData } from './shop.js'

const client = createClient({ baseUrl: 'http://localhost', token: async () => 'x' })

export async function use(signal: AbortSignal): Promise<string> {
  const result = await client.items.getById({ params: { id: 1 }, signal })
  if (!result.ok) {
    const message: string = result.error.message
    if (result.status === 404) return result.error.code
    // @ts-expect-error 200 is not an error status.
    if (result.status === 200) return ''
    return message
  }
  const status: 200 = result.status
  // @ts-expect-error The data has no such field.
  result.data.nothing
  return result.data.name + status
}

export const item: SuccessData<'Items_getById'> = { id: 1, name: 'x' }
export const code: ErrorBody<'Items_getById'>['statusCode'] = 'error'

// @ts-expect-error The parameter is missing.
client.items.getById()
// @ts-expect-error The parameter is a number.
client.items.getById({ params: { id: '1' } })
// @ts-expect-error There is no such field.
client.items.create({ body: { name: 'x', nothing: 1 } })
client.items.create({ body: { name: 'x', kind: undefined } })
// @ts-expect-error The field is required.
client.items.create({ body: { name: undefined } })
client.items.create({ body: { name: 'x' }, headers: { 'X-Anything': 'y' } })
client.items.list()
client.items.list({ query: { tags: undefined } })
// @ts-expect-error There is no such tag.
client.nothing
`

const USE_PAGES = `
import { createClient, FailedPageError, type PageItem } from './pages.js'

const { notes } = createClient({ baseUrl: 'http://localhost' })

export async function use(signal: AbortSignal): Promise<number> {
  const page = await notes.byCursor({ query: { limit: 2 } })
  if (page.ok) return page.data.items.length
  try {
    for await (const note of notes.byCursor.all({ query: { color: 'red' }, signal })) {
      const color: string = note.color
      // @ts-expect-error An item has no such field.
      note.nothing
      if (color !== '') return note.id
    }
    for await (const { id } of notes.failing.all({ params: { folder: 'a' } })) return id
  } catch (error) {
    if (error instanceof FailedPageError) return error.status
  }
  for await (const { id } of notes.byNumber.all()) return id
  return 0
}

export const note: PageItem<'Notes_byNumber'> = { id: 1, color: 'red' }

// @ts-expect-error There is no such color.
notes.byCursor.all({ query: { color: 'green' } })
// @ts-expect-error The parameter is missing.
notes.failing.all()
// @ts-expect-error The operation has no pages.
notes.plain.all()
`

function writeProject(): void {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const strict = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    // The declarations of Node and of browsers are not ours. To check them takes more than half of the time.
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2022',
    noEmit: true,
  }
  const platforms = {
    node: { lib: ['es2022'], types: ['node'] },
    browser: { lib: ['es2022', 'dom'], types: [] },
  }
  for (const [name, platform] of Object.entries(platforms)) {
    const config = { compilerOptions: { ...strict, ...platform }, include: ['*.ts'] }
    writeFileSync(join(FOLDER, `${name}.json`), JSON.stringify(config))
  }
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(FOLDER, 'hostile.ts'), emitClient(hostileDocument))
  writeFileSync(join(FOLDER, 'empty.ts'), emitClient(EMPTY))
  writeFileSync(join(FOLDER, 'shop.ts'), emitClient(documentOfShop()))
  writeFileSync(join(FOLDER, 'use.ts'), USE)
  writeFileSync(join(FOLDER, 'pages.ts'), emitClient(pagedApp().document))
  writeFileSync(join(FOLDER, 'use-pages.ts'), USE_PAGES)
  writeFileSync(join(FOLDER, 'orders.ts'), emitClient(ORDERS))
  writeFileSync(join(FOLDER, 'use-orders.ts'), USE_ORDERS)
}

describe('the generated client', () => {
  beforeAll(writeProject)

  it.each([
    ['TypeScript 5', 'typescript-5', 'browser'],
    ['TypeScript 6', 'typescript-6', 'node'],
    ['TypeScript 7', 'typescript', 'node'],
    ['TypeScript 7', 'typescript', 'browser'],
  ])('compiles in strict mode with %s (%s) for %s', async (_, compiler, platform) => {
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    const args = [tsc, '-p', `${platform}.json`, '--pretty', 'false']
    expect(await outputOf(spawn(process.execPath, args, { cwd: FOLDER }))).toBe('')
  })
})

describe('emitClient', () => {
  const text = emitClient(hostileDocument)
  const shop = emitClient(documentOfShop())

  it('returns the same text for the same document', () => {
    expect(emitClient(structuredClone(hostileDocument))).toBe(text)
  })

  it('writes components, operations and methods', () => {
    expect(shop).toContain(`export type Item = {
  id: number;
  /** What it is called. */
  name: string;
  tags?: string[];
};`)
    expect(shop).toContain(`  Items_list: {
    input: RequestOptions & {
      query?: {
        tags?: string[] | undefined;
      } | undefined;
    };
    result:
      | Enveloped<200, {
        statusCode: "success";
        status: number;
        message: string;
        data: Item[];
      }>
      | Failure<500, ErrorEnvelope>
      | Failure<Exclude<Status4XX | Status5XX, 500>, UndocumentedError>;
  };`)
    expect(shop).toContain(`    items: {
      /**
       * List
       *
       * GET /items
       */
      list: (input?: Input<"Items_list">): Promise<Result<"Items_list">> =>
        send({ method: "GET", path: "/items", statuses: ["200","500"], enveloped: ["200"] }, input),`)
  })

  it('escapes descriptions so that they cannot end their comment', () => {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"(?:[^"\\]|\\.)*"/g, '""')
    expect(code).not.toContain('throw new Error("run")')
    expect(code).not.toMatch(/run|Ends/)
  })

  it('renames operations and types if their names are taken or are not identifiers', () => {
    const names = [...text.matchAll(/^export type (\S+) =/gm)].map(([, name]) => name)
    expect(names.slice(0, 9)).toEqual([
      'Response_',
      'Call_',
      'NonNullable_',
      'ReturnType_',
      'string_',
      'class_',
      '_2nd_user_v1',
      '_2nd_user_v12',
      'Error_',
    ])
  })

  it('names methods after operation ids, with the full id if the short name is taken', () => {
    const methods = [...text.matchAll(/^ {4,6}(\S+): (?:\{|\(input)/gm)].map(([, name]) => name)
    expect(methods).toEqual(expect.arrayContaining(['filesMore', 'delete', 'then2']))
    expect(methods).toEqual(expect.arrayContaining(['users', 'create', 'accountsCreate']))
    expect(methods).toEqual(expect.arrayContaining(['default', 'patchUsers']))
  })
})
