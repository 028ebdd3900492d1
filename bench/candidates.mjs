// The candidates, each in a process of its own.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const here = import.meta.dirname
const START_MS = 60_000
const SERVER_CORE = '0'

const REFUSALS = ['plain', 'full', 'guarded']

/** Each with its title, the file that is run, the applications it can be, what it is told besides, and whether it checks nothing. */
export const CANDIDATES = {
  node: {
    title: 'bare node:http',
    file: 'candidates/node.mjs',
    apps: [...REFUSALS, 'middlewares', 'cached'],
    isFloor: true,
  },
  'node-behind': {
    title: 'bare node:http calling the middlewares',
    file: 'candidates/behind.mjs',
    apps: ['middlewares'],
    isFloor: true,
  },
  fastify: {
    title: 'Fastify',
    file: 'peers/fastify.mjs',
    apps: [...REFUSALS, 'observed', 'routes'],
  },
  express: {
    title: 'Express',
    file: 'candidates/express.mjs',
    apps: [...REFUSALS, 'middlewares', 'routes'],
  },
  'nest-express': {
    title: 'NestJS on Express',
    file: 'peers/.build/nest.mjs',
    apps: [...REFUSALS, 'middlewares'],
    args: ['express'],
  },
  'nest-fastify': {
    title: 'NestJS on Fastify',
    file: 'peers/.build/nest.mjs',
    apps: REFUSALS,
    args: ['fastify'],
  },
  hono: { title: 'Hono', file: 'peers/hono.mjs', apps: REFUSALS },
  koa: { title: 'Koa', file: 'peers/koa.mjs', apps: REFUSALS },
  'routing-controllers': {
    title: 'routing-controllers',
    file: 'peers/.build/routing-controllers.mjs',
    apps: REFUSALS,
  },
  blazon: {
    title: 'Blazon',
    file: '.build/blazon.mjs',
    apps: [...REFUSALS, 'observed', 'middlewares', 'cached', 'routes'],
  },
}

/** Whether a candidate can be an application; `routes:last` is one of `routes`. */
export function canBe(candidate, app) {
  return CANDIDATES[candidate].apps.includes(app.split(':')[0])
}

const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Starts a candidate as the application that a workload asks for. */
export async function startCandidate(candidate, { app, workload, ...options }) {
  const server = await startServer({
    name: `${candidate}/${workload}`,
    ...programOf(candidate, { app, workload }),
    // The lines of its log go nowhere.
    isQuiet: app === 'observed',
    ...options,
  })
  return { ...server, candidate, workload }
}

/** The program of a candidate, with what it is told. */
export function programOf(candidate, { app, workload }) {
  const { file, args = [] } = CANDIDATES[candidate]
  return { file: join(here, file), workload: app, args: [workload, ...args] }
}

/** Starts a server on the core of servers, unless told otherwise, tells it its workload, and waits until it listens. */
export async function startServer({ name, file, workload, args = [], ...options }) {
  const { node = process.execPath, isPinned = true, isQuiet = false } = options
  const command = [...(isPinned ? ['taskset', '-c', SERVER_CORE] : []), node, file, workload]
  const child = spawn(command[0], [...command.slice(1), ...args], {
    stdio: ['ignore', ...(isQuiet ? ['ignore', 'ignore'] : ['inherit', 'inherit']), 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  child.on('exit', () => children.delete(child))
  const said = await firstMessageOf(child, name)
  return { name, ...said, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

/** What a server says when it listens: its port, and what its program adds. */
function firstMessageOf(child, name) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} does not listen`)), START_MS)
    child.once('message', (said) => {
      clearTimeout(timer)
      resolve(said)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened`)))
  })
}
