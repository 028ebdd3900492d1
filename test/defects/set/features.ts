import type { Defect } from '../defect.js'

/** In `src/features`, without the caches and limits. */
export const features: readonly Defect[] = [
  {
    id: 'place-after-turn',
    file: 'src/features/capacity/gate.ts',
    kind: 'afterwards',
    replace: ['    ticket.timer?.cancel()\n    ticket.timer = null', '    ticket.timer = null'],
    what: 'The wait of a request that has got its turn ends later all the same, and its place is never given back.',
  },
  {
    id: 'two-places',
    file: 'src/features/capacity/capacity-plugin.ts',
    kind: 'overlap',
    replace: ["      if (this.#tickets.get(req)?.state === 'running') return next(req, res)\n", ''],
    what: 'A request that one route passes on to another takes two places.',
  },
  {
    id: 'check-again',
    file: 'src/features/health/health.ts',
    kind: 'afterwards',
    replace: [
      'if (this.#call === call) this.#call = undefined',
      'if (this.#call !== call) this.#call = undefined',
    ],
    what: 'The result of a check that has ended counts for ten more seconds.',
  },
  {
    id: 'primary-gauge',
    file: 'src/features/metrics/join-texts.ts',
    kind: 'report',
    replace: ['if (worker === null) return line', ''],
    what: 'Metrics of the primary get the label worker, whose value is null.',
  },
  {
    id: 'one-tenant-more',
    file: 'src/features/metrics/request-series.ts',
    kind: 'edge',
    replace: [
      'this.tenants.size < max ? tenant : rest',
      'this.tenants.size <= max ? tenant : rest',
    ],
    what: 'One tenant more than the limit has a series of its own.',
  },
  {
    id: 'line-of-head',
    file: 'src/features/logs/request-log.ts',
    kind: 'report',
    replace: [
      'const known = route.method === method ? parts[route.index] : undefined',
      'const known = parts[route.index]',
    ],
    what: 'The prepared part of a log line names a HEAD request GET.',
  },
  {
    id: 'sender-has-left',
    file: 'src/features/webhooks/webhook-check.ts',
    kind: 'overlap',
    replace: [
      "  if (res.closed) void release()\n  else res.once('close', releaseUnlessSent)",
      "  res.once('close', releaseUnlessSent)",
    ],
    what: 'A delivery whose sender leaves while the store claims it is a replay when it is sent again.',
  },
  {
    id: 'file-after-failure',
    file: 'src/features/uploads/file-part.ts',
    kind: 'overlap',
    replace: [
      '    if (this.#form.failure !== null) {\n      await temporary.close()\n      throw this.#form.failure\n    }\n    for (const chunk',
      '    for (const chunk',
    ],
    what: 'A temporary file that is opened while the request ends stays open.',
  },
  {
    id: 'page-before-end',
    file: 'src/features/pages/pages-plugin.ts',
    kind: 'edge',
    replace: ['Math.min(page - 1, last ?? page)', 'page - 1'],
    what: 'On a page far behind the end, the link to the page before leads to an empty page.',
  },
  {
    id: 'check-of-returned-response',
    file: 'src/features/policies/policies-plugin.ts',
    kind: 'alternative',
    replace: [
      'return value === undefined || value === res || res.headersSent',
      'return value === undefined || res.headersSent',
    ],
    what: 'A handler with @Checks that returns res and sends it later fails before its policy was asked.',
  },
  {
    id: 'events-after-end',
    file: 'src/features/records/records-plugin.ts',
    kind: 'afterwards',
    replace: [
      'if (known !== undefined) return known.ended === undefined ? known : undefined',
      'if (known !== undefined) return known',
    ],
    what: 'Statements that run after the end of a request are added to its record.',
  },
  {
    id: 'one-capsule-less',
    file: 'src/features/capsules/capsule-folder.ts',
    kind: 'edge',
    replace: ['files > this.#settings.files ||', 'files >= this.#settings.files ||'],
    what: 'The folder has one capsule less than the limit, and none for a limit of one.',
  },
  {
    id: 'mounted-by-windows',
    file: 'src/features/env/sources.ts',
    kind: 'edge',
    replace: ["replace(/\\r?\\n$/, '')", "replace(/\\n$/, '')"],
    what: 'A mounted secret that ends with CRLF keeps the carriage return.',
  },
  {
    id: 'any-origin-by-true',
    file: 'src/features/security/security-options.ts',
    kind: 'alternative',
    replace: [
      "origin === undefined || origin === '*' || origin === true",
      "origin === undefined || origin === '*'",
    ],
    what: 'Boot accepts credentials for every origin, if the option is origin: true.',
  },
  {
    id: 'claim-on-public-route',
    file: 'src/features/tenancy/request-tenant.ts',
    kind: 'alternative',
    replace: [
      'if (scope?.id !== undefined || scope?.claim !== undefined) {',
      'if (scope?.id !== undefined) {',
    ],
    what: 'A route without a tenant sees the tenant that a request claims.',
  },
]
