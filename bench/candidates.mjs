// The candidates, each in a process of its own.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { transformWithEsbuild } from 'vite'

const here = import.meta.dirname
const START_MS = 20_000
const SERVER_CORE = '0'

/** Where those live that need packages of their own. */
const PEERS = ['fastify']

/** Title of each candidate, by the name of its file. */
export const CANDIDATES = {
  node: 'bare node:http',
  fastify: 'Fastify',
  express: 'Express',
  blazon: 'Blazon',
}

const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Compiles the one candidate that is TypeScript, so that no loader runs inside the measured process. */
export async function compileCandidates() {
  await compile(join(here, 'candidates', 'blazon.ts'))
}

/** Compiles a file of a folder of this one; answers with the path of the result. */
export async function compile(file) {
  const { code } = await transformWithEsbuild(readFileSync(file, 'utf8'), file, {
    target: 'es2022',
    sourcemap: false,
  })
  // One folder deep, like its source, so that its relative imports hold … beside the plain candidates.
  const target = join(here, '.build', `${basename(file, '.ts')}.mjs`)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, code.replace('./serve.mjs', '../candidates/serve.mjs'))
  return target
}

/** Starts a candidate on the core of servers and waits until it listens. */
export function startCandidate(name, workload) {
  const folder = name === 'blazon' ? '.build' : PEERS.includes(name) ? 'peers' : 'candidates'
  const file = join(here, folder, `${name}.mjs`)
  return startServer({ name, file, workload })
}

/** Starts a server that is told its workload. */
export async function startServer({ name, file, workload, node = process.execPath }) {
  const child = spawn('taskset', ['-c', SERVER_CORE, node, file, workload], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  child.on('exit', () => children.delete(child))
  const port = await portOf(child, name)
  return { name, port, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

function portOf(child, name) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} does not listen`)), START_MS)
    child.once('message', ({ port }) => {
      clearTimeout(timer)
      resolve(port)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened`)))
  })
}
