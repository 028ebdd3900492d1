import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  App,
  type AppOptions,
  Body,
  type CapsulesOptions,
  ConfigError,
  Controller,
  Get,
  HttpError,
  inject,
  Log,
  NotFoundError,
  Post,
  type Request,
  RequestRecords,
} from 'blazon'
import { Statements } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'

let folder: string
const opened = gate()
let app: App | undefined

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'blazon capsules é-')), 'inner/capsules')
})
afterEach(async () => {
  await app?.close()
  app = undefined
  rmSync(join(folder, '../..'), { recursive: true, force: true })
})

const Order = z.object({ sku: z.string(), count: z.number() })

@Controller('work')
class WorkController {
  readonly #statements = inject(Statements)
  readonly #log = inject(Log)

  @Get('broken') broken(req: Request) {
    req.user = { id: 'ada', born: new Date(0) }
    const running = this.#statements.begin({ system: 'postgresql', text: 'select $1', values: [7] })
    const row = { id: 7, at: new Date(1000), big: 9n, raw: Buffer.from('bytes') }
    running?.end({ rows: [row], rowCount: 1 })
    // What the database has answered is in the capsule, and not what became of it.
    row.id = 8
    throw new TypeError('The disk is full')
  }

  @Body(Order) @Post('broken') order() {
    throw new Error('No stock')
  }

  @Get('large') large() {
    const rows = Array.from({ length: 1500 }, (_, id) => ({ id }))
    const statement = { system: 'postgresql', text: 'select * from large' }
    this.#statements.begin(statement)?.end({ rows, rowCount: rows.length })
    throw new Error('Too large')
  }

  @Get('huge') huge() {
    const rows = [{ list: Array.from({ length: 300_000 }, () => 1) }, { token: 'canary-row' }]
    const statement = { system: 'postgresql', text: 'select * from huge' }
    this.#statements.begin(statement)?.end({ rows, rowCount: 1 })
    this.#log.info('The row has canary-row')
    throw new Error('No place for canary-row')
  }

  @Get('deep') deep(req: Request) {
    let user: object = { token: 'canary-deep' }
    for (let depth = 0; depth < 30; depth++) user = { user }
    req.user = { id: 'ada', ...user }
    throw new Error('No place for canary-deep')
  }

  @Get('cycle') cycle(req: Request) {
    const user: Record<string, unknown> = { id: 'ada', token: 'canary-cycle' }
    req.user = { ...user, friends: [user, { user }] } as never
    user['self'] = user
    throw new Error('No place for canary-cycle')
  }

  @Get('meant') meant() {
    throw new HttpError(503, 'Closed at night', { log: false })
  }

  @Get('held') held() {
    return this.#opened
  }
  readonly #opened = opened.opened

  @Get('missing') missing() {
    throw new NotFoundError('No such order')
  }
}

async function start(capsules: CapsulesOptions | boolean = { folder }, more: AppOptions = {}) {
  const made = await App.create({
    controllers: [WorkController],
    logger: false,
    records: { capsules },
    ...more,
  })
  app = made
  const { port } = await made.listen(0, '127.0.0.1')
  return { made, url: `http://127.0.0.1:${port}` }
}

function files(): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : []
}

async function only() {
  await expect.poll(() => files().length).toBe(1)
  await app?.close()
  return JSON.parse(readFileSync(join(folder, files()[0] as string), 'utf8'))
}

describe('an intended error response', () => {
  it('has no capsule and no record: full capacity, a failed health check, an error with `log: false`', async () => {
    const { made, url } = await start(
      { folder },
      {
        capacity: { concurrent: 1, queue: 0 },
        health: { checks: { store: () => Promise.reject(new Error('away')) } },
        records: { keep: 5, capsules: { folder } },
      },
    )
    const held = fetch(`${url}/work/held`)
    // The place is taken when the next request is refused.
    await expect.poll(async () => (await fetch(`${url}/work/missing`)).status).toBe(503)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    opened.open()
    await held
    await expect.poll(async () => (await fetch(`${url}/work/meant`)).status).toBe(503)
    expect((await fetch(`${url}/work/broken`)).status).toBe(500)
    const records = made.get(RequestRecords).list()
    expect(records.map(({ error }) => error?.message)).toEqual(['The disk is full'])
    expect((await only()).record.error.message).toBe('The disk is full')
  })
})

describe('the capsule of a request', () => {
  it('contains the request, its user, and its statements with their results', async () => {
    const { url } = await start()
    const response = await fetch(`${url}/work/broken?page=2`, { headers: { 'x-trace': 'abc' } })
    expect(response.status).toBe(500)
    expect(await only()).toMatchObject({
      format: 2,
      id: expect.stringMatching(/^\d{8}-\d{6}-[\da-f]{6}$/),
      record: {
        method: 'GET',
        url: '/work/broken?page=2',
        status: 500,
        route: { name: 'WorkController.broken' },
        error: { name: 'TypeError', message: 'The disk is full' },
        startedAt: expect.any(Number),
      },
      sent: { body: null, omitted: null, headers: expect.arrayContaining([['x-trace', 'abc']]) },
      principal: { id: 'ada', born: { $date: '1970-01-01T00:00:00.000Z' } },
      statements: [
        {
          text: 'select $1',
          values: [7],
          rowCount: 1,
          rows: [
            {
              id: 7,
              at: { $date: '1970-01-01T00:00:01.000Z' },
              big: { $bigint: '9' },
              raw: { $bytes: 'Ynl0ZXM=' },
            },
          ],
          error: null,
        },
      ],
      calls: [],
      cut: [],
      hidden: [],
    })
  })

  it('can be read only by its owner, and is ignored by git', async () => {
    const { url } = await start()
    await fetch(`${url}/work/broken`)
    await only()
    expect(statSync(join(folder, files()[0] as string)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  })

  it('is not written if a form is refused with 415', async () => {
    const { url } = await start()
    const body = new FormData()
    body.set('file', new Blob(['x']), 'x.txt')
    await fetch(`${url}/work/broken`, { method: 'POST', body })
    // Refused with 415: the server has not failed.
    await fetch(`${url}/work/broken`)
    expect(await only()).toMatchObject({ record: { method: 'GET' } })
  })

  it('reports omitted rows', async () => {
    const { url } = await start()
    await fetch(`${url}/work/large`)
    expect(await only()).toMatchObject({
      statements: [{ rows: null, rowCount: 1500 }],
      cut: ['The rows of a statement are too large: select * from large'],
    })
  })

  it.each(['huge', 'deep'])(
    'is not written if there is too much data to search for secrets: %s',
    async (name) => {
      const lines: unknown[] = []
      const logger = { info() {}, error() {}, warn: (facts: unknown) => void lines.push(facts) }
      const { url } = await start({ folder }, { logger })
      await fetch(`${url}/work/${name}`)
      await app?.close()
      expect(files()).toEqual([])
      const err = expect.objectContaining({
        message: 'The data is too large to search for secrets.',
      })
      expect(lines).toEqual([expect.objectContaining({ err })])
    },
  )

  it('is searched for secrets even if the user object refers to itself', async () => {
    const { url } = await start()
    await fetch(`${url}/work/cycle`)
    const capsule = await only()
    expect(JSON.stringify(capsule)).not.toContain('canary')
    expect(capsule.record.error.message).toBe('No place for [secret]')
  })

  it('is written for a request to app.fetch() before close() resolves', async () => {
    const made = await App.create({
      controllers: [WorkController],
      logger: false,
      records: { capsules: { folder } },
    })
    const response = await made.fetch(new Request('http://localhost/work/broken'))
    expect(response.status).toBe(500)
    await response.text()
    await made.close()
    expect(files()).toHaveLength(1)
  })
})

describe('the folder of capsules', () => {
  it('keeps the newest capsules, and leaves other files in place', async () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '20000101-000000-aaaaaa.json'), '{}')
    writeFileSync(join(folder, 'notes.json'), '{}')
    const { url } = await start({ folder, files: 2 })
    for (let i = 0; i < 4; i++) await fetch(`${url}/work/broken?i=${i}`)
    await app?.close()
    const [first, second, ...others] = files()
    expect(others).toEqual(['notes.json'])
    for (const name of [first, second]) expect(name).not.toContain('2000')
  })

  it('receives one capsule for each failed request', async () => {
    const { url } = await start({ folder, files: 20 })
    for (let count = 1; count <= 10; count++) {
      await fetch(`${url}/work/broken`)
      await expect.poll(() => files().length, { interval: 5 }).toBe(count)
    }
  })

  it('never exceeds the configured size', async () => {
    const { url } = await start({ folder, bytes: 8000 })
    for (let i = 0; i < 6; i++) await fetch(`${url}/work/broken?i=${i}`)
    await app?.close()
    const sizes = files().map((name) => statSync(join(folder, name)).size)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.length).toBeLessThan(6)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(8000)
  })

  it('changes no response if it is not writable, which is logged once', async () => {
    const place = join(folder, '..')
    mkdirSync(place, { recursive: true })
    writeFileSync(folder, 'a file')
    const lines: unknown[] = []
    const logger = { info() {}, error() {}, warn: (facts: unknown) => void lines.push(facts) }
    const { url } = await start({ folder }, { logger })
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/work/broken`)).status).toBe(500)
    await app?.close()
    expect(lines).toEqual([expect.objectContaining({ folder, err: expect.any(Error) })])
  })
})

it('capsules are written only for server failures', async () => {
  const { url } = await start()
  expect((await fetch(`${url}/work/missing`)).status).toBe(404)
  await app?.close()
  expect(files()).toEqual([])
})

it('capsules are not written without the option `capsules`', async () => {
  const { url } = await start(false)
  expect((await fetch(`${url}/work/broken`)).status).toBe(500)
  await app?.close()
  expect(files()).toEqual([])
})

it.each([
  [1, 'Pass true, false, or { folder, files, bytes }'],
  [{ files: 0 }, 'Pass a whole number greater than 0'],
  [{ bytes: 1.5 }, 'Pass a whole number greater than 0'],
  [{ folder: '' }, "Pass a path: '.blazon/capsules'"],
  [{ file: 3 }, 'The valid options are: folder, files, bytes'],
])('the capsules option refuses %j', async (capsules, remedy) => {
  const options = { records: { capsules } } as unknown as AppOptions
  const error = await App.create(options).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  expect(String(error)).toContain(remedy)
})
