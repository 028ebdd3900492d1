import type { Defect } from '../defect.js'

/** In caches, limits and sessions, and their stores. */
export const stores: readonly Defect[] = [
  {
    id: 'store-answers-late',
    file: 'src/features/cache/store-guard.ts',
    kind: 'afterwards',
    replace: [
      '          timer.cancel()\n          this.#recover(method)',
      '          this.#recover(method)',
    ],
    what: 'Each call of a store with a server is logged as a failure 100 ms after its success.',
  },
  {
    id: 'newer-flight',
    file: 'src/features/cache/flights.ts',
    kind: 'overlap',
    replace: [
      'if (this.#byKey.get(key) === flight) this.#byKey.delete(key)',
      'this.#byKey.delete(key)',
    ],
    what: 'The end of a cancelled flight removes the flight that has begun since, so its handler runs again.',
  },
  {
    id: 'chunked-body-cached',
    file: 'src/features/cache/request-key.ts',
    kind: 'alternative',
    replace: [
      "return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined",
      "return length !== undefined && length !== '0'",
    ],
    what: 'The response to a GET with a chunked body is cached for all bodies.',
  },
  {
    id: 'key-without-visibility',
    file: 'src/features/cache/cache-stage.ts',
    kind: 'logic',
    replace: ['visibility === undefined ? typed', 'visibility !== undefined ? typed'],
    what: 'The key of a cached response does not name the fields that it shows.',
  },
  {
    id: 'limits-log-each',
    file: 'src/features/rate-limit/limit-stage.ts',
    kind: 'report',
    replace: ['      nextLogAt = clock.monotonic() + LOG_INTERVAL_MS\n', ''],
    what: 'A failing store of rate limits logs a line for each request.',
  },
  {
    id: 'list-ends-early',
    file: 'src/integrations/redis/redis-sessions.ts',
    kind: 'report',
    replace: [
      "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then",
      "if redis.call('PTTL', KEYS[1]) < 0 then",
    ],
    what: 'In Redis, the list of sessions of a user ends with the first of them, so later ones are not revoked.',
  },
  {
    id: 'half-pairs',
    file: 'src/integrations/redis/entry-codec.ts',
    kind: 'edge',
    replace: ["return /\\p{Surrogate}/u.test(body) ? 'utf16le' : 'utf8'", "return 'utf8'"],
    what: 'A text with half a surrogate pair is another text when it comes back from Redis.',
  },
  {
    id: 'attempts-after-contact',
    file: 'src/integrations/redis/link.ts',
    kind: 'afterwards',
    replace: ['    this.#attempts = 0\n    void this.', '    void this.'],
    what: 'The pauses before new connections of a second outage go on where those of the first have ended.',
  },
  {
    id: 'shorter-idle-time',
    file: 'src/integrations/sessions/manager.ts',
    kind: 'alternative',
    replace: [
      'now >= idleAt || now >= endsAt || now >= usedAt + this.settings.idleMs',
      'now >= idleAt || now >= endsAt',
    ],
    what: 'A shorter idle time does not end the sessions that were written before it was set.',
  },
]
