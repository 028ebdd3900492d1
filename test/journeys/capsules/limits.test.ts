import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Controller, Get, inject, type Request } from 'blazon'
import { Statements } from 'blazon/plugin'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Capsule } from '../../../src/contracts/capsule.js'

/** The capsule of a request that runs a function and then fails. */
async function capsuleOf(run: (statements: Statements, req: Request) => void): Promise<Capsule> {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-limits-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  @Controller('fail')
  class FailController {
    readonly #statements = inject(Statements)
    @Get() fail(req: Request) {
      run(this.#statements, req)
      throw new Error('No stock')
    }
  }
  const app = await App.create({
    controllers: [FailController],
    records: { capsules: { folder } },
    logger: false,
  })
  const response = await app.fetch(new globalThis.Request('http://localhost/fail'))
  await response.text()
  await app.close()
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

const begin = (statements: Statements, text = 'select 1', values: unknown[] = []) =>
  statements.begin({ system: 'store', text, values })

describe('a capsule', () => {
  it('reports that it contains only a part of the statements', async () => {
    const { statements, cut } = await capsuleOf((all) => {
      for (let n = 0; n < 501; n++) begin(all, `select ${n}`)?.end({ rows: [], rowCount: 0 })
    })
    expect(statements).toHaveLength(500)
    expect(cut).toEqual(['The capsule contains only 500 of 501 statements.'])
  })

  it.each([
    [1000, 1000, 1000],
    [1001, 1001, null],
    [1000, 1001, null],
    [0, 5, 0],
  ])('contains %i rows only if they are all: %i', async (count, rowCount, kept) => {
    const rows = Array.from({ length: count }, (_, id) => ({ id }))
    const { statements, cut } = await capsuleOf((all) => begin(all)?.end({ rows, rowCount }))
    const [statement] = statements
    expect([(statement?.rows as unknown[] | null)?.length ?? null, statement?.rowCount]).toEqual([
      kept,
      rowCount,
    ])
    expect(cut).toHaveLength(kept === null ? 1 : 0)
  })

  it('contains statements in the order in which they began, with copies of their rows', async () => {
    const list = [1, [2]]
    const date = new Date(0)
    const { statements } = await capsuleOf((all) => {
      const [first, second, third] = [begin(all, 'a'), begin(all, 'b'), begin(all, 'c')]
      third?.end({ rows: null, rowCount: 3 })
      second?.end({ rows: [list, date, 'text', null], rowCount: 4 })
      first?.fail(new Error('gone'))
      list[0] = 7
    })
    expect(statements).toMatchObject([
      { text: 'a', rows: null, rowCount: null, error: { message: 'gone' } },
      { text: 'b', rows: [[1, [2]], { $date: '1970-01-01T00:00:00.000Z' }, 'text', null] },
      { text: 'c', rows: null, rowCount: 3, error: null },
    ])
  })

  it.each<[string, unknown, object]>([
    [
      'of the database',
      Object.assign(new Error('taken'), {
        ...{ code: '23505', constraint: 'a_key', schema: 'public', table: 'a', column: 'b' },
        ...{ detail: 'Key', hint: 'Try', severity: 'ERROR', position: 7 },
      }),
      {
        ...{ message: 'taken', code: '23505', constraint: 'a_key', schema: 'public' },
        ...{ table: 'a', column: 'b', detail: 'Key', hint: 'Try' },
      },
    ],
    [
      'with a status, but a code that is not a text',
      Object.assign(new Error('busy'), { status: 503, code: 7 }),
      { message: 'busy', status: 503 },
    ],
    ['that is a text', 'gone', { message: 'gone' }],
    ['that is undefined in a rejected promise', null, { message: 'null' }],
  ])('contains the error %s', async (_, error, expected) => {
    const { statements } = await capsuleOf((all) => begin(all)?.fail(error))
    expect(statements[0]?.error).toEqual(expected)
  })

  it.each<[string, unknown, unknown, string[]]>([
    ['nothing', undefined, null, []],
    ['a large user', { id: 'a', text: 'x'.repeat(1_000_001) }, null, ['The user is too large.']],
    [
      'a user that cannot be read',
      {
        id: 'a',
        toJSON() {
          throw new Error('own toJSON')
        },
      },
      null,
      ['A value could not be read.'],
    ],
  ])('contains the user, and reports a missing one: %s', async (_, user, principal, cut) => {
    const capsule = await capsuleOf((_all, req) => {
      if (user !== undefined) req.user = user as never
    })
    expect([capsule.principal, capsule.cut]).toEqual([principal, cut])
  })

  it('contains no values of a statement that are too large, without a report', async () => {
    const values = ['x'.repeat(1_000_001)]
    const { statements, cut } = await capsuleOf((all) => {
      begin(all, 'select $1', values)?.end({ rows: [{ a: 1 }], rowCount: 1 })
    })
    expect([statements[0]?.values, cut]).toEqual([
      null,
      ['The rows of a statement are too large: select $1'],
    ])
  })

  it('hides the literals and values of a statement with the name of a secret', async () => {
    const { statements, record } = await capsuleOf((all) => {
      const text = "update a set password = 'it''s' where id = 7 and b = $1"
      begin(all, text, ['short'])?.end({ rows: [], rowCount: 0 })
    })
    const text = "update a set password = '[secret]' where id = 7 and b = $1"
    expect(statements[0]).toMatchObject({ text, values: ['[secret]'] })
    expect(record.statements[0]?.text).toBe(text)
  })
})
