import { HttpError, ServiceUnavailableError } from 'blazon'
import { expect, it } from 'vitest'
import type { Connection, QueryResult } from '../../../src/integrations/postgres/driver.js'
import { Activity } from '../../../src/integrations/postgres/sessions/activity.js'
import { Transaction } from '../../../src/integrations/postgres/sessions/transaction.js'

const GONE = new ServiceUnavailableError('gone', { code: 'DATABASE_UNAVAILABLE' })
const DONE = { rows: [], rowCount: 0, command: 'BEGIN', fields: [] }

const settings = { statement: { text: 'select 1' }, explain: (error: unknown) => error }

/** A connection on which the commit fails. */
function connection(wasLost: boolean): Connection {
  let isLost = wasLost
  return {
    get isLost() {
      return isLost
    },
    query({ text }) {
      isLost ||= text === 'COMMIT'
      return isLost ? Promise.reject(GONE) : Promise.resolve(DONE)
    },
    sendTogether: (statements) => statements.map(async (): Promise<QueryResult> => DONE),
    script: async () => {},
    release: () => {},
    destroy: () => {},
  }
}

const WRITE = "insert into orders (note) values ('a')"
const UNAVAILABLE = 'DATABASE_UNAVAILABLE'

it.each([
  [
    'when the connection was lost before the commit',
    { isLost: true, text: WRITE, code: UNAVAILABLE },
  ],
  [
    'when the connection is lost during the commit',
    { isLost: false, text: WRITE, code: 'COMMIT_UNKNOWN' },
  ],
  ['after a read', { isLost: false, text: 'select note from orders', code: UNAVAILABLE }],
  ['after a function call', { isLost: false, text: 'select add_order()', code: 'COMMIT_UNKNOWN' }],
])(
  'a commit error shows whether data may have been saved: %s',
  async (_, { isLost, text, code }) => {
    const transaction = new Transaction(connection(isLost), settings, new Activity(1000))
    await transaction.query({ text: 'select 1' })
    for (const each of [text, 'select 2']) await transaction.query({ text: each }).catch(() => {})
    const error = await transaction.commit().catch((reason) => reason)
    expect(HttpError.is(error) && error.code).toBe(code)
  },
)
