import { posix } from 'node:path'
import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { FLOORS, readSources, specifiersOf } from './sources.js'

/** The one import between rooms of a floor: errors use the types of contracts. */
const WITHIN_FLOOR = new Set(['errors -> contracts'])

/**
 * The names that these features import although no door exports them, with the features that use them. Each has the
 * reason why the package of a stranger does not need it. The list may only shrink: add none.
 */
const PRIVATE: Record<string, readonly string[]> = {
  // The field that holds the tenant of a request. A stranger's step reads it with `tenantOf(req)`, and sets it as a
  // middleware does: it continues within `runWithTenant(id, …)`.
  'http/symbol-fields kTenantScope': ['tenancy'],
  // A digest of a body: a stranger computes one with `node:crypto`.
  'http/body-digest digestOf': ['cache'],
  'http/body-digest sha256': ['cache'],
  // What of a secret is shown; a stranger's logger may show less.
  'schema/secret-name isFlag': ['logs', 'records'],
}

/** Features that a package of a stranger could replace. */
const REPLACEABLE = [
  'features/cache',
  'features/logs',
  'features/rate-limit',
  'features/records',
  'features/tenancy',
]

/** The doors from which an integration imports, as a package of a stranger does. */
const PUBLIC = ['index', 'plugin']
const DOORS = ['index.ts', 'plugin/index.ts']

/** Packages that only one room may import. Other rooms use that room. */
const PACKAGES: Record<string, string> = {
  'find-my-way': 'routing',
  ajv: 'schema',
  helmet: 'features/security',
  'lru-cache': 'features/cache',
  supertest: 'testing',
  'fast-check': 'testing',
  commander: 'cli',
  jose: 'integrations/jwt',
  redis: 'integrations/redis',
  '@opentelemetry/api': 'integrations/otel',
  pg: 'integrations/postgres',
  'pg-boss': 'integrations/jobs',
  '@electric-sql/pglite': 'integrations/postgres',
  'drizzle-orm': 'integrations/postgres',
  typeorm: 'integrations/typeorm',
}

const sources = readSources()

/** Each folder in these is a room of its own. */
const WINGS = ['features', 'integrations']

/** `pipeline/steps/guard.ts` is in `pipeline`; every feature and every integration is a room of its own. */
function roomOf(path: string): string {
  const [first = '', second] = path.replace(/\.ts$/, '').split('/')
  return WINGS.includes(first) ? `${first}/${second}` : first
}

function floorOf(room: string): number {
  const [first = '', second] = room.split('/')
  const isList = room === 'features/index'
  const name = second === undefined || isList ? room : `${first}/*`
  return FLOORS.findIndex((rooms) => rooms.includes(name))
}

function isIntegration(path: string): boolean {
  return path.startsWith('integrations/')
}

/** The text of the problem of an import; `null` if the import is allowed. */
function judge(from: string, to: string): string | null {
  const [room, other] = [roomOf(from), roomOf(to)]
  if (room === other || WITHIN_FLOOR.has(`${room} -> ${other}`)) return null
  if (isIntegration(from) && PUBLIC.includes(other)) return null
  const [floor, otherFloor] = [floorOf(room), floorOf(other)]
  if (otherFloor < floor) return null
  const way = otherFloor === floor ? 'is blind to its neighbour' : 'may not look up to'
  return `${from} imports ${to}: ${room} (floor ${floor}) ${way} ${other} (floor ${otherFloor})`
}

const imports = sources.flatMap(({ path, tree }) =>
  specifiersOf(tree).map((specifier) => ({ path, specifier })),
)
const edges = imports
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ path, specifier }) => ({
    from: path,
    to: posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts'),
  }))

describe('the rule for layers', () => {
  it('assigns a layer to every folder', () => {
    expect(sources.map(({ path }) => path).filter((path) => floorOf(roomOf(path)) < 0)).toEqual([])
  })

  it('allows imports from lower layers and within a folder', () => {
    expect(judge('app/boot.ts', 'errors/codes.ts')).toBeNull()
    expect(judge('pipeline/steps/guard.ts', 'pipeline/step.ts')).toBeNull()
    expect(judge('pipeline/fail.ts', 'http/request.ts')).toBeNull()
    expect(judge('integrations/a/x.ts', 'index.ts')).toBeNull()
    expect(judge('integrations/a/x.ts', 'plugin/index.ts')).toBeNull()
  })

  it('refuses imports from other folders of the same layer and from higher layers', () => {
    expect(judge('model/paths.ts', 'app/app.ts')).toBe(
      'model/paths.ts imports app/app.ts: model (floor 2) may not look up to app (floor 5)',
    )
    expect(judge('features/a/x.ts', 'features/b/y.ts')).toMatch(/is blind to its neighbour/)
    expect(judge('contracts/guard.ts', 'errors/codes.ts')).toMatch(/is blind to its neighbour/)
    expect(judge('app/boot.ts', 'integrations/a/x.ts')).toMatch(/may not look up to/)
    expect(judge('integrations/a/x.ts', 'integrations/b/y.ts')).toMatch(/is blind to its neighb/)
    expect(judge('integrations/a/x.ts', 'testing/index.ts')).toMatch(/is blind to its neighbour/)
    expect(judge('testing/x.ts', 'index.ts')).toMatch(/is blind to its neighbour/)
  })
})

describe('the source code', () => {
  it('imports only from lower layers, types included', () => {
    expect(edges.length).toBeGreaterThan(100)
    expect(edges.flatMap(({ from, to }) => judge(from, to) ?? [])).toEqual([])
  })

  it('imports only existing files, with their full file names', () => {
    const paths = new Set(sources.map(({ path }) => path))
    expect(edges.filter(({ to }) => !paths.has(to))).toEqual([])
  })

  it('has no circular imports, types included', () => {
    expect(findCircle()).toEqual([])
  })

  it('imports the metadata store only in the files that write and read it', () => {
    const users = edges.filter(({ to }) => to === 'metadata/store.ts').map(({ from }) => from)
    expect(users).toEqual(['metadata/read.ts', 'metadata/write.ts'])
  })

  it('imports decorators only in entry points', () => {
    const isDoor = (room: string) => FLOORS.at(-1)?.includes(room.replace(/\/.*/, '/*')) === true
    const users = edges.filter(
      ({ from, to }) =>
        roomOf(to) === 'metadata' && roomOf(from) !== 'metadata' && !isDoor(roomOf(from)),
    )
    // A decorator that is an option belongs to the folder of its feature.
    const open = ['metadata/read.ts', 'metadata/option.ts']
    expect(users.filter(({ to }) => !open.includes(to))).toEqual([])
  })

  it('imports certain packages in only one folder', () => {
    const strays = imports.filter(({ path, specifier }) => {
      const owner = PACKAGES[specifier.split('/')[0] as string]
      return owner !== undefined && owner !== roomOf(path)
    })
    expect(strays).toEqual([])
  })
})

/** The names that a door exports, each behind the file that declares it. */
function publicNames(): ReadonlySet<string> {
  const exported = sources
    .filter(
      ({ path }) => DOORS.includes(path) || /^contracts\/(?:public|for-plugins)\.ts$/.test(path),
    )
    .flatMap(({ path, tree }) => importedNames(path, tree))
  return new Set(exported.flatMap(({ to, names }) => names.map((name) => entryOf(to, name))))
}

function entryOf(file: string, name: string): string {
  return `${file.replace(/\.ts$/, '')} ${name}`
}

/** The names of other rooms that a room imports, without those that a door exports, with their users. */
function privateImports(rooms: readonly string[]): Record<string, string[]> {
  const exported = publicNames()
  const found: Record<string, string[]> = {}
  // A stranger's plugin has its options as arguments of its factory, so a feature may check and read settings in addition.
  const isJudged = ({ path }: { path: string }) =>
    rooms.includes(roomOf(path)) && !/(?:-options|\/feature)\.ts$/.test(path)
  for (const { path, tree } of sources.filter(isJudged)) {
    for (const { to, names } of importedNames(path, tree)) {
      if (DOORS.includes(to) || roomOf(to) === roomOf(path)) continue
      for (const entry of names.map((name) => entryOf(to, name))) {
        if (exported.has(entry)) continue
        const user = roomOf(path).replace(/^\w+\//, '')
        found[entry] = [...new Set([...(found[entry] ?? []), user])].sort()
      }
    }
  }
  return found
}

describe('the newest features', () => {
  it.each(['deprecated', 'idempotency', 'versioned'])(
    'are imported by at most three files outside their folder: %s',
    (name) => {
      const folder = `features/${name}/`
      const users = edges.filter(
        ({ from, to }) => to.startsWith(folder) && !from.startsWith(folder),
      )
      const files = new Set(users.map(({ from }) => (DOORS.includes(from) ? 'a door' : from)))
      expect(files.size).toBeGreaterThan(1)
      expect(files.size).toBeLessThanOrEqual(3)
    },
  )
})

describe('features that could be separate packages', () => {
  it('import only public names, apart from a list of exceptions', () => {
    expect(publicNames().size).toBeGreaterThan(100)
    expect(privateImports(REPLACEABLE)).toEqual(PRIVATE)
  })
})

describe('integrations', () => {
  it('import only from the public entry points', () => {
    const strays = sources
      .filter(({ path }) => isIntegration(path))
      .flatMap(({ path, tree }) =>
        importedNames(path, tree)
          .filter(({ to }) => !DOORS.includes(to) && !isIntegration(to))
          .map(({ to }) => `${path} imports ${to}`),
      )
    expect(strays).toEqual([])
  })

  it('do not import `blazon` by its name', () => {
    const own = imports.filter(
      ({ path, specifier }) => isIntegration(path) && specifier.startsWith('blazon'),
    )
    expect(own).toEqual([])
  })
})

/** The names that a file imports or exports from other files of `src/`; `*` for a whole file. */
function importedNames(path: string, tree: ts.SourceFile): { to: string; names: string[] }[] {
  return tree.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const { moduleSpecifier: from } = node
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return []
    const to = posix.join(posix.dirname(path), from.text).replace(/\.js$/, '.ts')
    const bindings = ts.isImportDeclaration(node)
      ? node.importClause?.namedBindings
      : node.exportClause
    const isList = bindings && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings))
    const elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] = isList
      ? bindings.elements
      : []
    const names = elements.map(({ name, propertyName }) => (propertyName ?? name).text)
    return [{ to, names: isList ? names : ['*'] }]
  })
}

/** A circle as the files on it, the first one repeated at the end. */
function findCircle(): string[] {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return []
    for (const { to } of edges.filter(({ from }) => from === path)) {
      const circle = visit(to, [...trail, path])
      if (circle.length > 0) return circle
    }
    done.add(path)
    return []
  }
  for (const { path } of sources) {
    const circle = visit(path, [])
    if (circle.length > 0) return circle
  }
  return []
}
