import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm'
import type { RunningStatement, Statements } from '../../plugin/index.js'

/** A statement that a query runner has begun. */
interface Begun {
  readonly text: string
  readonly running: RunningStatement
}

/** The names that OpenTelemetry gives to databases, where they differ from TypeORM's names. */
const SYSTEMS: Readonly<Record<string, string>> = {
  'aurora-mysql': 'mysql',
  'aurora-postgres': 'postgresql',
  'better-sqlite3': 'sqlite',
  mssql: 'microsoft.sql_server',
  oracle: 'oracle.db',
  postgres: 'postgresql',
  sap: 'sap.hana',
  spanner: 'gcp.spanner',
  sqljs: 'sqlite',
}

/** Reports the statements of a data source. Adds nothing if statements have no observer. */
export function observeStatements(dataSource: DataSource, statements: Statements): void {
  // A test may have replaced the data source by an object of its own.
  if (!statements.areObserved || !Array.isArray(dataSource.subscribers)) return
  const { type } = dataSource.options
  dataSource.subscribers.push(subscriber(SYSTEMS[type] ?? type, statements))
}

/** TypeORM reports the start and the end of each statement, but not that they belong together. */
function subscriber(system: string, statements: Statements): EntitySubscriberInterface {
  const open = new WeakMap<QueryRunner, Begun[]>()
  return {
    beforeQuery({ query: text, parameters, queryRunner }) {
      const values = Array.isArray(parameters) ? parameters : Object.values(parameters ?? {})
      const running = isControl(text) ? null : statements.begin({ system, text, values })
      if (running === null) return
      const begun = open.get(queryRunner) ?? []
      open.set(queryRunner, begun)
      begun.push({ text, running })
    },
    afterQuery({ query, success, error, rawResults, queryRunner }) {
      const begun = open.get(queryRunner) ?? []
      const index = begun.findIndex(({ text }) => text === query)
      if (index === -1) return
      const [{ running } = { running: null }] = begun.splice(index, 1)
      if (success) running?.end(resultOf(rawResults))
      else running?.fail(error)
    },
  }
}

/** Whether a text begins or ends a transaction, or a part of one. */
function isControl(text: string): boolean {
  return /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i.test(text)
}

/** Drivers return rows, an object with rows, or an object with the number of changed rows. */
function resultOf(raw: unknown) {
  const { rows = null, rowCount, affectedRows, changes } = (raw ?? {}) as Record<string, unknown>
  const list = [raw, rows].find((each): each is unknown[] => Array.isArray(each)) ?? null
  const count = [rowCount, affectedRows, changes].find((each) => typeof each === 'number')
  return { rows: list, rowCount: (count as number | undefined) ?? list?.length ?? null }
}
