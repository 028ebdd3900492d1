import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { packPackage } from '../house/packed-package.js'
import { isServerMissing, Server as Postgres } from '../integrations/postgres/server.js'
import { Server as Redis } from '../integrations/redis/server.js'
import { DockerImage } from './docker-image.js'
import { MadeProject } from './made-project.js'
import { folderOf, type NodeMajor, nameOf, nodeOf } from './programs.js'
import { ALL, type Row, SHORT, titleOf } from './projects.js'
import { Results, Skip } from './results.js'

/** `npm run test:scaffold -- --all` would be an option of Vitest, so it is a variable. */
const ROWS = process.env['SCAFFOLD'] === 'all' ? ALL : SHORT

/** A route of each template, and its status for a caller without a token. */
const ROUTES = {
  minimal: ['/hello/Ada', 200],
  service: ['/notes', 200],
  saas: ['/notes', 401],
} as const

/** Production needs one. */
const TOKEN_SECRET = randomBytes(32).toString('hex')

let tarball: string
let folder: string
let redis: Redis
const counts = { passed: 0, failed: 0, skipped: 0 }

beforeAll(async () => {
  tarball = packPackage()
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-scaffold-')))
  redis = await Redis.start()
})

afterAll(async () => {
  console.log(`Cells: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  await redis?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
  rmSync(dirname(tarball), { recursive: true, force: true })
})

it.concurrent.each(ROWS.map((row) => [titleOf(row), row] as const))(
  'a new project passes all its checks: %s',
  async (title, row) => {
    const results = new Results(title)
    await tryRow(row, results)
    console.log(`${results}`)
    for (const [state, count] of Object.entries(results.counts()))
      counts[state as keyof typeof counts] += count
    expect(results.failures.join('\n\n')).toBe('')
  },
)

/** All cells of a project. Its packages are installed once. */
async function tryRow(row: Row, results: Results): Promise<void> {
  const programs = folderOf(row.manager)
  const isThere = await results.cell('package manager', async () =>
    requireProgram(programs, row.manager),
  )
  if (!isThere || programs === null) return
  const place = join(folder, titleOf(row).replaceAll(/[^\w.]+/g, '-'))
  const [oldest = 20] = row.nodes
  const node = nodeOf(oldest) ?? process.execPath
  const project = new MadeProject(row, { folder: place, tarball, programs, node })
  if (!(await results.cell('make', () => project.make()))) return
  await results.cell('ci.sh', async () => {
    await project.run('sh', ['ci.sh'])
    if (!existsSync(join(place, 'dist/main.js'))) throw new Error('There is no dist/main.js')
  })
  for (const major of row.nodes)
    await tryNode(project, { major, results, hasRunCi: major === oldest })
  if (row.template !== 'minimal') {
    await results.cell('.env.example', () => checkExample(project))
    await results.cell('stages of the Dockerfile', () => checkImage(project))
    await results.cell('docker build', async () => dockerBuild(project))
  }
  if (isFirstOfItsKind(row)) await results.cell('blazon add', () => addParts(project))
  rmSync(place, { recursive: true, force: true })
  rmSync(programs, { recursive: true, force: true })
}

/** The parts that `blazon add` writes depend on the dialect and on the runner, so one project of each pair is sufficient. */
function isFirstOfItsKind(row: Row): boolean {
  const isAlike = ({ decorators, test }: Row) => decorators === row.decorators && test === row.test
  return ROWS.find(isAlike) === row
}

/** What is tried on a version of Node. */
interface OnNode {
  readonly major: NodeMajor
  readonly results: Results
  /** Whether `ci.sh` has run on this version: the checks, the tests and the build. */
  readonly hasRunCi: boolean
}

async function tryNode(project: MadeProject, { major, results, hasRunCi }: OnNode): Promise<void> {
  const path = nodeOf(major)
  const isThere = await results.cell(`Node ${major}`, async () =>
    requireProgram(path, `Node ${major}`),
  )
  if (!isThere || path === null) return
  const cell = (name: string, run: () => Promise<unknown>) =>
    results.cell(`${name} (${major})`, run)
  if (hasRunCi) {
    const pm = nameOf(project.made.manager)
    await cell('start', () => checkProgram(project, [pm, 'run', 'start'], path))
    await cell('dev', () => checkProgram(project, [pm, 'run', 'dev'], path))
    return
  }
  // `ci.sh` has run the tests of this template without Redis.
  if (project.made.template === 'saas')
    await cell('test with Redis', () => testWithRedis(project, path))
  else await cell('test', () => project.script('test', { node: path }))
  // This is what `start` runs. A package manager does not always pass on the exit code.
  await cell('node dist/main.js', async () => {
    expect(await checkProgram(project, [path, 'dist/main.js'], path)).toBe(0)
  })
}

/** Adds parts by `blazon add`. They pass the checks and their own tests. */
async function addParts(project: MadeProject): Promise<void> {
  const parts = ['controller orders', 'module billing', 'plugin audit', 'guard session']
  for (const part of [...parts, 'migration create_orders']) {
    const command = ['node_modules/blazon/dist/cli/main.js', 'add', ...part.split(' ')]
    await project.run('node', command)
  }
  for (const script of ['openapi', 'check', 'test']) await project.script(script)
  for (const name of ['orders-controller', 'billing-module', 'audit-plugin', 'session-guard']) {
    expect(project.read(`test/${name}.test.ts`)).toContain('describe')
  }
}

/** What is not there is skipped, but not in CI, which has fetched it. */
function requireProgram(path: string | null, name: string): void {
  if (path !== null) return
  const message = `${name} is missing; .ci/run fetches it.`
  throw process.env['CI'] === undefined ? new Skip(message) : new Error(message)
}

/** The same tests, which count requests in Redis. Each project has a database of Redis of its own. */
async function testWithRedis(project: MadeProject, node: string): Promise<void> {
  const url = `${redis.url}/${ROWS.indexOf(project.made as Row)}`
  const client = createClient({ url })
  await client.connect()
  try {
    // On a busy machine, an application that waits too long for Redis counts by itself.
    for (let attempt = 1; attempt <= 3; attempt++) {
      await client.flushDb()
      await project.script('test', { node, env: { REDIS_URL: url } })
      if ((await client.keys('my-api:*')).length > 0) return
    }
    throw new Error('Nothing was counted in Redis.')
  } finally {
    client.destroy()
  }
}

/** Starts a program, sends a request and ends the program as Ctrl-C or a container does. Returns its exit code. */
async function checkProgram(
  project: MadeProject,
  [program = '', ...args]: readonly string[],
  node: string,
): Promise<number | null> {
  const { template } = project.made
  const [path, status] = ROUTES[template]
  using running = project.start(program, args, { node })
  expect(await running.ask(path)).toMatchObject({ status })
  if (template !== 'minimal') {
    const token = await project.run(node, ['--import', 'tsx', 'scripts/token.ts'])
    expect(await running.add(path, token.trim())).toMatchObject({ status: 201 })
  }
  return await running.end('SIGTERM')
}

/** `.env.example` is what the command writes from the schema. */
async function checkExample(project: MadeProject): Promise<void> {
  const blazon = ['node_modules/blazon/dist/cli/main.js', 'config', '--example', '-']
  expect(await project.run('node', blazon)).toBe(project.read('.env.example'))
}

/** Follows the Dockerfile in folders, and runs what it makes as a container would. */
async function checkImage(project: MadeProject): Promise<void> {
  const { template } = project.made
  if (template === 'saas' && isServerMissing) throw new Skip('PostgreSQL is missing.')
  using image = new DockerImage({
    context: project.folder,
    env: project.environment(),
    nodeOf: (major) => {
      const path = nodeOf(major as NodeMajor)
      requireProgram(path, `Node ${major}`)
      return path as string
    },
  })
  await image.build()
  expect(image.files.filter((name) => !/^(dist|migrations)\b/.test(name))).toEqual(['package.json'])
  expect(image.packages).toContain('blazon')
  expect(image.packages).not.toContain('typescript')
  await using postgres = template === 'saas' ? await Postgres.start() : undefined
  const stores = postgres && (await migrate(project, { image, postgres }))
  using container = image.start({ PORT: '0', TOKEN_SECRET, ...stores })
  const { port } = new URL(await container.url)
  const [path, status] = ROUTES[template]
  expect(await container.ask(path)).toMatchObject({ status })
  expect(await image.checkHealth({ PORT: port })).toBe(0)
  expect(await container.end('SIGTERM')).toBe(0)
  expect(await image.checkHealth({ PORT: port })).toBe(1)
  expect(image.hasCompileCache).toBe(true)
}

/** Makes the database as `compose.yaml` does. Returns the variables of the application. */
async function migrate(
  project: MadeProject,
  { image, postgres }: { readonly image: DockerImage; readonly postgres: Postgres },
): Promise<Record<string, string>> {
  const { services, configs } = parse(project.read('compose.yaml'))
  await postgres.run(configs.login.content)
  await image.run(services.migrate.command, { DATABASE_URL: postgres.url() })
  const { username } = new URL(services.app.environment.DATABASE_URL)
  return { DATABASE_URL: postgres.url(username), REDIS_URL: redis.url }
}

function dockerBuild(project: MadeProject): void {
  const docker = (...args: string[]) =>
    execFileSync('docker', args, { cwd: project.folder, encoding: 'utf8', stdio: 'pipe' })
  try {
    docker('version', '--format', '{{.Server.Version}}')
  } catch {
    throw new Skip('No Docker responds.')
  }
  const tag = `blazon-scaffold-${process.pid}`
  docker('build', '--tag', tag, '.')
  docker('image', 'rm', tag)
}
