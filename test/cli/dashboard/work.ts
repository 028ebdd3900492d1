import type { WorkList, WorkQuery, WorkReply } from '../../../src/cli/dev/protocol.js'
import { statement } from './records.js'

const DAY = Date.UTC(2026, 10, 26, 9, 30)
const FACTS = {
  Runs: '6',
  Due: '2026-11-26T09:30:00.000Z',
  'Last failure': 'The printer has no paper',
}

/** An application that lists a dead job and one that is done. A retry makes the dead one wait. */
export function workingApp(): { readonly query: (query: WorkQuery) => Promise<WorkReply> } {
  let isDead = true
  const lists = (): WorkList[] => [
    {
      title: 'Jobs',
      items: [
        {
          ...{ id: 'job/1', name: 'receipt', tenant: 'acme', at: DAY, facts: FACTS },
          ...{ state: isDead ? 'dead' : 'waiting', isFailed: isDead },
          actions: isDead ? ['retry'] : [],
          statements: [
            statement({ text: 'insert into receipts (order_id) values ($1)', rowCount: 1 }),
            statement({ text: 'select 1', error: 'no connection', rowCount: null }),
          ],
        },
        {
          ...{ id: 'job-2', name: 'sweep', state: 'done', isFailed: false, tenant: null, at: DAY },
          ...{ facts: { Runs: '1', 'Last failure': '' }, actions: [], statements: [] },
        },
      ],
    },
  ]
  return {
    async query(query) {
      if (query.do === 'list') return { value: lists() }
      if (query.item !== 'job/1') return { message: `There is no ${query.item}.` }
      isDead = false
      return { value: 'The job will run once more.' }
    },
  }
}
