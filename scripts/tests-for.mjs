// Finds the tests for a source file. `npm run unit -- --for src/http/csv.ts` and `npm run quick` use it.
//
// The most closely related tests come first: tests that import the file, then tests with the file's name or in the list
// of the file, then tests for its folder. Among the tests for its folder, tests whose paths contain a word of the file's
// name come first.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Parts of the test paths for each folder in `src/`. For a file, the entry with the longest matching folder applies.
 * Features and integrations need no entry, because their names are in the paths of their tests.
 */
const FOLDERS = {
  app: ['/app/', '/boot/', '/container/', '/operating/report-errors', '/operating/request-ids'],
  'app/contract': ['/testing/contract', '/dashboard/'],
  'app/dev': ['/cli/dev', '/dashboard/'],
  'app/doctor': ['/cli/doctor'],
  'app/explain': ['explain'],
  'app/settings': ['/app/settings', '/app/logger', '/boot/options', '/boot/checks', '/boot/bounds'],
  'app/tenancy': ['/tenancy/'],
  cli: ['/cli/'],
  'cli/add': ['/cli/add'],
  'cli/client': ['client'],
  'cli/db': ['/cli/db'],
  'cli/dev': ['/cli/dev', '/dashboard/'],
  'cli/dev/dashboard': ['/dashboard/', 'dev-dashboard'],
  'cli/diff': ['/cli/compare'],
  'cli/doctor': ['/cli/doctor'],
  'cli/keys': ['/cli/keys'],
  'cli/load': ['/cli/command', '/cli/loaded', '/cli/config', '/cli/read-'],
  'cli/new': ['/cli/new', '/cli/create', '/cli/template'],
  'cli/replay': ['/cli/replay'],
  'cli/start': ['/cli/start/', '/operating/workers', '/operating/blocked-worker'],
  contracts: ['/surface/', '/house/sources'],
  di: ['/container/', '/boot/nest-providers'],
  errors: ['/errors/', '/house/sources'],
  'features/capsules': ['capsule', 'replay'],
  'features/docs': ['/features/docs/', '/journeys/app/documentation', '/boot/exposed-docs'],
  'features/refused-values': ['refused-values'],
  'features/rate-limit': ['rate-limit'],
  'features/tenancy': ['/tenancy/', '/auth/guard-tenants'],
  'features/security': ['/express/helmet', '/express/cors', '/express/whole-app', '/boot/options'],
  'features/webhooks': ['webhook'],
  'features/health': ['health'],
  'features/logs': ['/features/logs/', '/app/log', '/app/request-log', '/app/failure-log'],
  http: [
    '/http/',
    '/journeys/express/',
    '/journeys/hostile/',
    '/journeys/bodies/',
    '/journeys/fetch/',
    '/representations/',
  ],
  'http/send': [
    '/http/',
    '/journeys/files/',
    '/express/responses',
    '/app/responses',
    '/cache/conditional',
  ],
  'integrations/api-keys': ['api-keys', '/cli/keys'],
  'integrations/jwt': ['/jwt/'],
  'integrations/otel': ['/otel/', '/outgoing/traces'],
  'integrations/postgres': ['/integrations/postgres/', '/journeys/postgres/'],
  'integrations/postgres/doctor': ['/postgres/doctor'],
  'integrations/postgres/drivers': [
    '/postgres/drivers',
    '/postgres/flight',
    '/postgres/round-trips',
    '/postgres/faults',
  ],
  'integrations/postgres/keeper': ['dev-database', '/postgres/'],
  'integrations/postgres/keys': ['/postgres/api-keys'],
  'integrations/postgres/migrations': ['/postgres/migrate', '/cli/db', '/docs/migrations'],
  'integrations/postgres/sessions': [
    '/postgres/sessions',
    '/postgres/kept',
    '/postgres/after-commit',
    '/postgres/connection',
    '/postgres/request-',
    '/postgres/lost-commit',
    '/journeys/postgres/',
    '/sessions/transactions',
  ],
  'integrations/postgres/values': [
    '/postgres/refused-values',
    '/postgres/drivers',
    '/postgres/sql',
  ],
  'integrations/sessions': ['/sessions/'],
  metadata: ['/metadata/', '/boot/decorator', 'inherited', '/boot/design-types'],
  model: ['/boot/', '/journeys/app/prefix', '/journeys/surface/', '/metadata/'],
  'model/foreign': ['leftovers', '/boot/nest', '/boot/routing'],
  openapi: ['/openapi/'],
  pipeline: [
    '/pipeline/',
    '/journeys/app/',
    '/journeys/wire/',
    '/express/middlewares',
    '/journeys/validation/',
  ],
  'pipeline/visibility': ['visibility'],
  'pipeline/steps': [
    '/journeys/surface/steps',
    '/journeys/validation/',
    '/journeys/auth/',
    '/journeys/bodies/',
    '/hostile/guard',
    '/app/explain',
    '/records/',
  ],
  'pipeline/streams': ['/streams/'],
  routing: ['/routing/', '/express/parity', '/hostile/targets', '/journeys/express/router'],
  schema: ['/schema/', '/journeys/schemas/'],
  'schema/ajv': ['/schema/json-schema', '/schemas/json-schema', '/schema/compile'],
  'schema/visibility': ['visibility'],
  'schema/bounded': ['bound'],
  'schema/dialect': ['/schema/dialect', '/openapi/'],
  'schema/fields': ['/schema/fields', 'response-fields'],
  'schema/libraries': ['/schema/libraries', '/schemas/libraries', '/openapi/differential'],
  step: ['/surface/steps', '/pipeline/'],
  testing: ['/testing/'],
  'testing/cache-key': ['cache-key'],
  'testing/contract': ['/testing/contract', '/testing/coverage'],
  'testing/explain': ['explain'],
  'testing/fuzz': ['/fuzz/'],
  'testing/isolation': ['/isolation/'],
  'testing/queries': ['/queries/'],
}

/** Parts of the paths of tests for a file that are not the tests of its folder, or not the nearest of them. */
const FILES = {
  'app/app': ['/container/lifecycle', '/app/closing', '/app/listening', '/app/process-end'],
  'app/boot': ['/container/lifecycle', '/app/closing-timers'],
  'app/check-app': ['/schemas/bounds', '/policies/mistakes', '/patch-defaults', '/rows'],
  'app/check-contracts': ['/surface/contract', '/auth/guard-boot'],
  'app/check-sendable': ['/validation/unsendable'],
  'app/check-visibility': ['/visibility/boot'],
  'app/client-error': ['/hostile/connection', '/hostile/pipelining'],
  'app/connections': ['/app/closing'],
  'app/documents': ['/boot/again', '/versions/documents', '/openapi/'],
  'app/error-formats': ['/wire/errors'],
  'app/error-paths': ['/express/error', '/express/late-errors', '/wire/errors', '/streams/late'],
  'app/fetch': ['/fetch/'],
  'app/hosted-requests': ['/app/closing'],
  'app/listener': ['/app/closing', '/hostile/'],
  'app/observe-connections': ['-requests.', '/app/sent-bytes'],
  'app/observe-requests': ['-requests.', '/app/late-observations', '/app/guard-decisions'],
  'app/request-chain': ['/express/catch-all', '/express/cors', '/boot/plugin-routes'],
  'app/shut-down': ['/app/closing'],
  'app/version-router': ['/versions/'],
  'cli/list-routes': ['/cli/read-commands'],
  'cli/show-config': ['/cli/read-commands'],
  'http/send/preconditions': ['/files/conditions', '/cache/conditional'],
  'metadata/parameter': ['/surface/parameters'],
  'model/bounds': ['/app/route-limits'],
  'model/compile-model': ['/auth/guard-boot', '/surface/optional-auth'],
  'model/compile-produces': ['/representations/'],
  'model/compile-responses': ['/wire/documented', '/app/bare-responses'],
  'model/compile-route-model': ['/app/overriding', '/app/default-status', '/auth/several'],
  'model/deprecation': ['/deprecated/'],
  'model/field-routes': ['/field-routes/'],
  'model/inherit': ['overrid'],
  'model/route-guards': ['/auth/several'],
  'model/versions': ['/versions/'],
  'openapi/build-operation': ['/surface/contract'],
  'openapi/shared-responses': ['/wire/documented'],
  'pipeline/repeated-failures': ['/outage-logs'],
  'testing/query-budget': ['/queries/'],
  'testing/test-outgoing': ['/outgoing/test-app'],
}

/** A distance greater than the distance of any test for the folder. */
const NOWHERE = 4

/** All tests, with the paths of the sources that each test imports. They are read only once. */
const known = { tests: undefined }

function allTests() {
  known.tests ??= readdirSync(join(root, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => ({ path: `test/${path}`, imports: importsOf(join(root, 'test', path)) }))
  return known.tests
}

function importsOf(file) {
  const found = readFileSync(file, 'utf8').matchAll(/from '((?:\.\.\/)+src\/[^']+)\.js'/g)
  return [...found].map(([, path]) => `${relative(root, resolve(dirname(file), path))}.ts`)
}

/** Returns the path parts for a folder in `src/`. A folder without an entry uses the parts of its parent folder. */
function partsOf(folder) {
  if (Object.hasOwn(FOLDERS, folder)) return FOLDERS[folder]
  const [room, name] = folder.split('/')
  if ((room === 'features' || room === 'integrations') && name !== undefined) return [name]
  return folder === '.' ? ['/house/sources', '/surface/'] : partsOf(dirname(folder))
}

/**
 * @param {string} source A path such as `src/http/csv.ts`, relative to the repository or absolute.
 * @returns {string[]} Paths of test files, the most closely related first. Empty for a path outside `src/`.
 */
export function testsFor(source) {
  const path = relative(root, resolve(root, source))
  if (!path.startsWith('src/')) return []
  const name = basename(path).replace(/\.ts$/, '')
  const parts = partsOf(dirname(path.slice('src/'.length)))
  const ofFile = FILES[path.slice('src/'.length, -'.ts'.length)] ?? []
  const words = name.split('-').filter(({ length }) => length > 3)
  const distance = (test) => {
    if (test.imports.includes(path)) return 0
    if (basename(test.path).startsWith(`${name}.`)) return 1
    if (ofFile.some((part) => test.path.includes(part))) return 1
    if (!parts.some((part) => test.path.includes(part))) return NOWHERE
    return words.some((word) => test.path.includes(word)) ? 2 : 3
  }
  return allTests()
    .map((test) => ({ path: test.path, distance: distance(test) }))
    .filter(({ distance }) => distance < NOWHERE)
    .sort((a, b) => a.distance - b.distance)
    .map(({ path }) => path)
}

/** Returns the parts that no test path contains, for the test that checks this table. */
export function unusedParts() {
  const parts = [FOLDERS, FILES].flatMap((each) => Object.values(each).flat())
  return parts.filter((part) => !allTests().some(({ path }) => path.includes(part)))
}
