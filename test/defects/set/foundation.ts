import type { Defect } from '../defect.js'

/** In the rooms that every application uses. */
export const foundation: readonly Defect[] = [
  {
    id: 'deadline-restart',
    file: 'src/pipeline/deadlines.ts',
    kind: 'overlap',
    replace: [
      '    this.#startedAt.delete(req)\n    this.#startedAt.set(',
      '    this.#startedAt.set(',
    ],
    what: 'A request whose time starts again keeps its place in the queue, so requests behind it end late.',
  },
  {
    id: 'heartbeats-stop',
    file: 'src/pipeline/streams/stream-items.ts',
    kind: 'afterwards',
    replace: [
      '    this.#timer?.cancel()\n    this.#timer = undefined',
      '    this.#timer?.cancel()',
    ],
    what: 'After the last stream has ended, later streams send no heartbeats.',
  },
  {
    id: 'second-key-counts',
    file: 'src/pipeline/steps/several-guards.ts',
    kind: 'alternative',
    replace: [
      'if (key === undefined || found.key !== undefined) return',
      'if (key === undefined) return',
    ],
    what: 'Of two API keys in a request, the last one decides whose limit counts, not the first.',
  },
  {
    id: 'guards-without-record',
    file: 'src/pipeline/steps/several-guards.ts',
    kind: 'report',
    replace: [
      '  noteGuards(req, found.verdicts)\n  noteAuthResult(req, found)',
      '  noteAuthResult(req, found)',
    ],
    what: 'The record of a request that several guards let in has none of their decisions.',
  },
  {
    id: 'denials-after-silence',
    file: 'src/pipeline/log-failure.ts',
    kind: 'report',
    replace: [
      'left = Math.min(BURST, left + (now - filledAt) / REFILL_MS)',
      'left += (now - filledAt) / REFILL_MS',
    ],
    what: 'After an hour without failures, a client can make a failing guard write thousands of lines at once.',
  },
  {
    id: 'range-at-end',
    file: 'src/http/send/preconditions.ts',
    kind: 'edge',
    replace: [
      "return start < length ? { start, end } : 'unsatisfiable'",
      "return start <= length ? { start, end } : 'unsatisfiable'",
    ],
    what: 'A range that begins right after the last byte is 206 and not 416.',
  },
  {
    id: 'range-without-unit',
    file: 'src/http/send/send-file.ts',
    kind: 'logic',
    replace: ['`bytes */', '`*/'],
    what: 'The Content-Range of a 416 does not name the unit.',
  },
  {
    id: 'stored-date',
    file: 'src/http/send/replay.ts',
    kind: 'report',
    replace: [
      "['etag', 'last-modified', 'vary', 'content-length']",
      "['etag', 'vary', 'content-length']",
    ],
    what: 'The fast path sends a stored response again to a client that has it by its date, in place of a 304.',
  },
  {
    id: 'body-with-get-parameter',
    file: 'src/features/cache/feature.ts',
    kind: 'alternative',
    replace: [
      "isDescribed || parameters?.some(({ source }) => source === 'body') === true",
      'isDescribed',
    ],
    what: 'Boot accepts @Cache on a handler that takes the body as a parameter.',
  },
  {
    id: 'public-and-can',
    file: 'src/model/compile-model.ts',
    kind: 'alternative',
    replace: [
      'if (isPublic && (auth.length > 0 || facts.can !== undefined)) {',
      'if (isPublic && auth.length > 0) {',
    ],
    what: 'Boot accepts @Public() and @Can() on one handler.',
  },
  {
    id: 'private-method',
    file: 'src/metadata/write.ts',
    kind: 'alternative',
    replace: ['!second.static && !second.private', '!second.static'],
    what: 'A decorator on a private method is not a mistake any more, and has no effect.',
  },
  {
    id: 'shared-import',
    file: 'src/di/modules.ts',
    kind: 'logic',
    replace: ['else if (!found.has(module)) {', 'else {'],
    what: 'A module that two others import is visited twice, and two that import each other never end.',
  },
  {
    id: 'wildcard-first',
    file: 'src/routing/path-patterns.ts',
    kind: 'edge',
    replace: ["return isWildcard ? '3' : '2'", "return isWildcard ? '2' : '3'"],
    what: 'A wildcard has priority over a parameter.',
  },
  {
    id: 'secrets-overlap',
    file: 'src/schema/secret-texts.ts',
    kind: 'edge',
    replace: [
      'if (start >= shown) hidden += text.slice(shown, start) + HIDDEN',
      'hidden += text.slice(shown, start) + HIDDEN',
    ],
    what: 'Two secrets that overlap are replaced by two marks, which shows that there are two.',
  },
  {
    id: 'list-in-one-branch',
    file: 'src/schema/query-lists.ts',
    kind: 'alternative',
    replace: ['schemas.every((schema) => this.', 'schemas.some((schema) => this.'],
    what: 'A parameter that is text in the first branch of a union and a list in the second becomes a list.',
  },
  {
    id: 'files-in-list',
    file: 'src/openapi/build-operation.ts',
    kind: 'alternative',
    replace: ["typeof part.items === 'object' ? fileOf(part.items, schemas) : null", 'null'],
    what: 'A body with a list of files is documented as JSON.',
  },
  {
    id: 'split-names-once',
    file: 'src/openapi/settle-components.ts',
    kind: 'logic',
    replace: [
      'for (let size = -1; size !== split.size; ) {\n    size = split.size',
      'if (split.size > 0) {',
    ],
    what: 'A schema refers to that of the response, where a schema two references away differs in requests.',
  },
  {
    id: 'idle-after-request',
    file: 'src/app/connections.ts',
    kind: 'afterwards',
    replace: ['      this.#idleSweeps.delete(socket)\n', ''],
    what: 'While closing, a connection with a request meanwhile counts as idle since its first sweep.',
  },
  {
    id: 'refused-for-host',
    file: 'src/app/observe-requests.ts',
    kind: 'report',
    replace: [
      'for (; known !== undefined; known = known.outer) known.refusedWith = status',
      'known.refusedWith = status',
    ],
    what: 'Of an application in another one, only the inner one notes that the parser has refused a body.',
  },
  {
    id: 'init-failed',
    file: 'src/app/lifecycle.ts',
    kind: 'logic',
    replace: [
      '      this.#begun.add(member)\n      await member.onInit?.()',
      '      await member.onInit?.()\n      this.#begun.add(member)',
    ],
    what: 'A provider whose onInit has failed half-way is not closed.',
  },
  {
    id: 'short-request-time',
    file: 'src/app/settings/timeout-options.ts',
    kind: 'logic',
    replace: [
      'head ?? Math.min(HEADERS_SECONDS, whole ?? HEADERS_SECONDS)',
      'head ?? HEADERS_SECONDS',
    ],
    what: 'With timeouts.request below 15 s alone, boot refuses a default that nobody has set.',
  },
]
