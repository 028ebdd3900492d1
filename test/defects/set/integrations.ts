import type { Defect } from '../defect.js'

/** In `src/integrations`, without the stores. */
export const integrations: readonly Defect[] = [
  {
    id: 'lent-in-transaction',
    file: 'src/integrations/postgres/drivers/pg-session.ts',
    kind: 'afterwards',
    replace: [
      "      !this.isRetired &&\n      this.client.getTransactionStatus() === 'I'",
      '      !this.isRetired',
    ],
    what: 'A connection whose user has left a transaction open is lent to the next user.',
  },
  {
    id: 'progress-once',
    file: 'src/integrations/postgres/sessions/activity.ts',
    kind: 'afterwards',
    replace: [
      '        seen = this.#begun\n        deadline.restart()',
      '        deadline.restart()',
    ],
    what: 'A nested transaction that is stuck is waited for without end, if it has sent a statement before.',
  },
  {
    id: 'parts-at-once',
    file: 'src/integrations/postgres/sessions/transaction.ts',
    kind: 'overlap',
    replace: [
      '    while (this.#part !== undefined) await this.activity.wait(this.#part)\n    this.assertOpen()',
      '    if (this.#part !== undefined) await this.activity.wait(this.#part)\n    this.assertOpen()',
    ],
    what: 'Of three nested transactions at once, the second and the third run at the same time.',
  },
  {
    id: 'begin-again',
    file: 'src/integrations/postgres/sessions/request-work.ts',
    kind: 'overlap',
    replace: [
      '    begun.catch(() => {\n      this.#transaction = undefined\n    })',
      '    begun.catch(() => {})',
    ],
    what: 'A request that has not got a connection once does not get one for its next query.',
  },
  {
    id: 'tasks-after-response',
    file: 'src/integrations/postgres/sessions/request-work.ts',
    kind: 'logic',
    replace: ['await this.#config.finish(transaction)', 'void this.#config.finish(transaction)'],
    what: 'The response does not wait for the tasks after the commit, and their errors end the process.',
  },
  {
    id: 'keys-under-way',
    file: 'src/integrations/jwt/remote-keys.ts',
    kind: 'overlap',
    replace: ['return this.#pending !== null || this.#setup.clock', 'return this.#setup.clock'],
    what: 'Of two first requests at once, the second is 503 while the keys are read for the first.',
  },
  {
    id: 'expired-in-lookup',
    file: 'src/integrations/jwt/token-verifier.ts',
    kind: 'afterwards',
    replace: ["      if (clock.now() >= until) throw challenges.refuse('expired')\n", ''],
    what: 'A token that expires while the user is looked up lets the request in.',
  },
  {
    id: 'kept-since-answer',
    file: 'src/integrations/api-keys/found-keys.ts',
    kind: 'afterwards',
    replace: [
      'this.#kept.set(hash, { record, since })',
      'this.#kept.set(hash, { record, since: this.#parts.clock.monotonic() })',
    ],
    what: 'A key that was read slowly is kept longer than `cache` after the state that was read.',
  },
  {
    id: 'upgrade-without-span',
    file: 'src/integrations/otel/otel.ts',
    kind: 'alternative',
    replace: [
      "if (cause !== 'parser' && cause !== 'upgrade') return",
      "if (cause !== 'parser') return",
    ],
    what: 'A WebSocket has no span.',
  },
  {
    id: 'equal-statements',
    file: 'src/integrations/typeorm/typeorm.ts',
    kind: 'overlap',
    replace: [
      'begun.findIndex(({ text }) => text === query)',
      'begun.findLastIndex(({ text }) => text === query)',
    ],
    what: 'Of two equal statements at once, the end of the first ends the second, with its values and time.',
  },
  {
    id: 'alternative-to-cursor',
    file: 'src/integrations/typeorm/read-page.ts',
    kind: 'report',
    replace: ['if (wheres.length > 0) {', 'if (wheres.length > 1) {'],
    what: 'A page of TypeORM whose one condition has an `or` has rows of the pages before, unlike that of PostgreSQL.',
  },
]
