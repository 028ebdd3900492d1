import type { Defect } from '../defect.js'

/** In the command line and the test tools. */
export const tools: readonly Defect[] = [
  {
    id: 'two-saves',
    file: 'src/cli/dev/run-dev.ts',
    kind: 'overlap',
    replace: [
      'if (this.#isClosed || this.#starting !== undefined) return',
      'if (this.#isClosed) return',
    ],
    what: 'Two saves in a short time leave two processes that start, and one of them is never ended.',
  },
  {
    id: 'worker-twice',
    file: 'src/cli/start/worker-pool.ts',
    kind: 'afterwards',
    replace: [
      'if (this.#isEnding || this.#current[place] !== member) return',
      'if (this.#isEnding) return',
    ],
    what: 'A restart during the pause after a crash leaves one worker too many.',
  },
  {
    id: 'timers-at-one-time',
    file: 'src/testing/test-clock.ts',
    kind: 'edge',
    replace: [
      'alarm.dueAt < (next?.dueAt ?? Number.POSITIVE_INFINITY)',
      'alarm.dueAt <= (next?.dueAt ?? Number.POSITIVE_INFINITY)',
    ],
    what: 'Of several timers that are due at the same time, the last one set runs first.',
  },
]
