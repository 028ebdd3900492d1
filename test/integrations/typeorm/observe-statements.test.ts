import type { NewStatement, StatementResult } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { observeStatements } from '../../../src/integrations/typeorm/typeorm.js'

type Subscriber = Record<'beforeQuery' | 'afterQuery', (event: object) => void>

/** Observes a data source of a type, and notes what is reported. */
function observed(type = 'sqljs', isObserved = true) {
  const begun: NewStatement[] = []
  const ended: unknown[] = []
  const begin = (statement: NewStatement) => {
    begun.push(statement)
    return {
      end: (result: StatementResult) => ended.push([statement.values, result]),
      fail: (error: unknown) => ended.push([statement.values, error]),
    }
  }
  const subscribers: Subscriber[] = []
  const dataSource = { subscribers, options: { type } }
  observeStatements(dataSource as never, { areObserved: isObserved, begin } as never)
  const [subscriber] = subscribers
  return { begun, ended, subscriber, count: subscribers.length }
}

const runner = {}
const query = { query: 'select ?', queryRunner: runner, success: true, rawResults: [] }

describe('a statement of TypeORM', () => {
  it('is recorded as the first to end if an equal statement began later', () => {
    const { subscriber, ended } = observed()
    for (const value of [1, 2]) subscriber?.beforeQuery({ ...query, parameters: [value] })
    subscriber?.afterQuery(query)
    expect(ended).toEqual([[[1], { rows: [], rowCount: 0 }]])
    const error = new Error('no')
    subscriber?.afterQuery({ ...query, success: false, error })
    expect(ended[1]).toEqual([[2], error])
    // Nothing is left of the two.
    subscriber?.afterQuery(query)
    expect(ended).toHaveLength(2)
  })

  it('is matched on its own connection only', () => {
    const { subscriber, ended } = observed()
    subscriber?.beforeQuery(query)
    subscriber?.afterQuery({ ...query, queryRunner: {} })
    subscriber?.afterQuery({ ...query, query: 'select 2' })
    expect(ended).toEqual([])
    subscriber?.afterQuery(query)
    expect(ended).toHaveLength(1)
  })

  it.each([
    ['postgres', 'postgresql'],
    ['aurora-postgres', 'postgresql'],
    ['aurora-mysql', 'mysql'],
    ['mysql', 'mysql'],
    ['mariadb', 'mariadb'],
    ['mssql', 'microsoft.sql_server'],
    ['oracle', 'oracle.db'],
    ['sap', 'sap.hana'],
    ['spanner', 'gcp.spanner'],
    ['sqljs', 'sqlite'],
    ['better-sqlite3', 'sqlite'],
    ['cockroachdb', 'cockroachdb'],
  ])('of the type %s belongs to the system %s', (type, system) => {
    const { subscriber, begun } = observed(type)
    subscriber?.beforeQuery(query)
    expect(begun).toEqual([{ system, text: 'select ?', values: [] }])
  })

  it.each([
    'BEGIN',
    'begin transaction',
    'START TRANSACTION',
    ' commit',
    'ROLLBACK TO SAVEPOINT typeorm_1',
    'SAVEPOINT typeorm_1',
    'RELEASE SAVEPOINT typeorm_1',
  ])('is not recorded if it only controls a transaction: %s', (text) => {
    const { subscriber, begun, ended } = observed()
    subscriber?.beforeQuery({ ...query, query: text })
    subscriber?.afterQuery({ ...query, query: text })
    expect([begun, ended]).toEqual([[], []])
  })

  it.each(['select begin from a', 'beginning', 'update commits set a = 1'])(
    'is recorded if it only contains such a word: %s',
    (text) => {
      const { subscriber, begun } = observed()
      subscriber?.beforeQuery({ ...query, query: text })
      expect(begun).toHaveLength(1)
    },
  )

  it('has the values of named parameters', () => {
    const { subscriber, begun } = observed()
    subscriber?.beforeQuery({ ...query, parameters: { a: 1, b: 'x' } })
    expect(begun[0]?.values).toEqual([1, 'x'])
  })

  it.each<[string, unknown, StatementResult]>([
    ['a list of rows', [{ a: 1 }, { a: 2 }], { rows: [{ a: 1 }, { a: 2 }], rowCount: 2 }],
    ['rows in an object', { rows: [{ a: 1 }] }, { rows: [{ a: 1 }], rowCount: 1 }],
    ['rows and a count', { rows: [], rowCount: 3 }, { rows: [], rowCount: 3 }],
    ['affected rows', { affectedRows: 4 }, { rows: null, rowCount: 4 }],
    ['changes', { changes: 5 }, { rows: null, rowCount: 5 }],
    ['nothing', undefined, { rows: null, rowCount: null }],
    ['a number', 7, { rows: null, rowCount: null }],
  ])('has a result in each form of a driver: %s', (_, rawResults, result) => {
    const { subscriber, ended } = observed()
    subscriber?.beforeQuery(query)
    subscriber?.afterQuery({ ...query, rawResults })
    expect(ended).toEqual([[[], result]])
  })

  it('has no observer if no plugin needs statements', () => {
    expect(observed('sqljs', false).count).toBe(0)
  })
})
