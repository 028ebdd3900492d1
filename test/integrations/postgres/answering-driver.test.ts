import { describe, expect, it } from 'vitest'
import { AnsweringDriver } from '../../../src/integrations/postgres/drivers/answering-driver.js'
import type { AnsweredStatement } from '../../../src/plugin/index.js'

/** A connection of a driver whose answers are given in order. */
async function open(...answers: (AnsweredStatement | Error)[]) {
  const asked: object[] = []
  const driver = new AnsweringDriver({
    answer: (statement: object) => {
      asked.push(statement)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer
    },
  } as never)
  const connection = await driver.connect()
  const run = (text: string, values?: unknown[]) => {
    const statement = { text, ...(values && { values }) }
    driver.expect(statement)
    return connection.query(statement)
  }
  const control = async (text: string) => (await connection.query({ text })).command
  return { driver, run, control, asked }
}

const answer = (more: Partial<AnsweredStatement> = {}): AnsweredStatement => ({ text: '', ...more })

describe('a driver without a database', () => {
  it('returns the rows that a test provides, with their count and columns', async () => {
    const rows = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ]
    const { driver, run, asked } = await open(answer({ rows }), answer({ rowCount: 7 }), answer())
    expect(await run('select * from a where b = $1', [3])).toEqual({
      ...{ command: 'SELECT', rows, rowCount: 2 },
      fields: [
        { name: 'id', dataTypeID: 0 },
        { name: 'name', dataTypeID: 0 },
      ],
    })
    expect(await run('  update a')).toEqual({
      command: 'UPDATE',
      rows: [],
      rowCount: 7,
      fields: [],
    })
    expect((await run('(select 1)')).command).toBe('SELECT')
    expect(asked).toEqual([
      { system: 'postgresql', text: 'select * from a where b = $1', values: [3] },
      { system: 'postgresql', text: '  update a', values: [] },
      { system: 'postgresql', text: '(select 1)', values: [] },
    ])
    expect([driver.size, driver.isEmbedded, driver.usage()]).toEqual([
      ...[100, false, { lent: 0, waiting: 0 }],
    ])
  })

  it('fails with the errors that a test provides', async () => {
    const error = { message: 'duplicate', code: '23505', constraint: 'a_key' }
    const { run } = await open(
      answer({ error }),
      answer({ error: { message: 'odd' } }),
      answer({ error: { message: 'down', status: 503, code: 'DATABASE_BUSY' } }),
      new Error('unanswered'),
    )
    await expect(run('a')).rejects.toMatchObject({ name: 'PostgresError', ...error })
    await expect(run('a')).rejects.toMatchObject({ name: 'PostgresError', code: 'XX000' })
    await expect(run('a')).rejects.toMatchObject({ status: 503, code: 'DATABASE_BUSY' })
    await expect(run('a')).rejects.toThrow('unanswered')
  })

  it('runs no further statement of a transaction after a failed one', async () => {
    const error = { message: 'duplicate', code: '23505' }
    const { run, control } = await open(
      answer({ error }),
      answer(),
      answer({ error }),
      answer(),
      answer(),
    )
    expect(await control('BEGIN')).toBe('BEGIN')
    await expect(run('a')).rejects.toMatchObject({ code: '23505' })
    await expect(run('b')).rejects.toMatchObject({ code: '25P02' })
    expect(await control('COMMIT')).toBe('ROLLBACK')
    // Outside of a transaction, each statement is on its own.
    await expect(run('c')).rejects.toMatchObject({ code: '23505' })
    expect((await run('insert')).command).toBe('INSERT')
    expect(await control('begin isolation level serializable')).toBe('BEGIN')
    await run('d')
    expect(await control('COMMIT')).toBe('COMMIT')
  })

  it('continues a transaction after a rollback to a savepoint', async () => {
    const error = { message: 'duplicate', code: '23505' }
    const { run, control } = await open(answer({ error }), answer(), answer({ error }))
    await control('BEGIN')
    await expect(run('a')).rejects.toMatchObject({ code: '23505' })
    expect(await control('ROLLBACK TO SAVEPOINT part_1')).toBe('ROLLBACK')
    await run('select')
    await expect(run('b')).rejects.toMatchObject({ code: '23505' })
    expect(await control('COMMIT')).toBe('ROLLBACK')
  })
})
