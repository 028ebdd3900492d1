import { HttpError, ServiceUnavailableError } from 'blazon'
import { expect, it } from 'vitest'
import type { Connection, QueryResult } from '../../../src/integrations/postgres/driver.js'
import { Activity } from '../../../src/integrations/postgres/sessions/activity.js'
import { Transaction } from '../../../src/integrations/postgres/sessions/transaction.js'

const GONE = new ServiceUnavailableError('gone', { code: 'DATABASE_UNAVAILABLE' })
const DONE = { rows: [], rowCount: 0, command: 'BEGIN', fields: [] }

const settings = { statement: { text: 'select 1' }, explain: (error: unknown) => error }

/** A connection on which the commit fails. */
function connection(isLost: boolean): Connection {
  return {
    isLost,
    query: ({ text }) => (text === 'COMMIT' ? Promise.reject(GONE) : Promise.resolve(DONE)),
    sendTogether: (statements) => statements.map(async (): Promise<QueryResult> => DONE),
    script: async () => {},
    release: () => {},
    destroy: () => {},
  }
}

it.each([
  ['DATABASE_UNAVAILABLE when the connection was lost before', true, 'DATABASE_UNAVAILABLE'],
  ['COMMIT_UNKNOWN when the connection is lost meanwhile', false, 'COMMIT_UNKNOWN'],
])('a commit rejects with %s', async (_, isLost, code) => {
  const transaction = new Transaction(connection(isLost), settings, new Activity(1000))
  const error = await transaction.commit().catch((reason) => reason)
  expect(HttpError.is(error) && error.code).toBe(code)
})
