// npm run bench:hostile [-- --node /path/to/node --rounds 5 --only zod --smoke]: what one hostile body costs, in bench/HOSTILE.md.
//
//   --node      any number of times; this very Node when it is not given
//   --rounds    times each request is sent
//   --only      requests whose name begins so; the page is not written then
//   --smoke     only whether all are answered as they should be
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CORPUS, requestOf } from './hostile/corpus.js'
import { type Measured, pageOf, sectionOf } from './hostile/page.js'

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    smoke: { type: 'boolean', default: false },
  },
})
const rounds = values.smoke ? 1 : Number(values.rounds)
const load = loadavg()[0] as number

async function start(node: string) {
  const child = fork(join(import.meta.dirname, 'hostile/serve.ts'), [], {
    execPath: node,
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

/** Milliseconds of CPU of the whole process so far, and the most megabytes it had. */
async function usageOf(child: ChildProcess): Promise<{ cpu: number; memory: number }> {
  const answer = once(child, 'message')
  child.send('usage')
  const [usage] = await answer
  return usage as { cpu: number; memory: number }
}

async function send(port: number, index: number): Promise<void> {
  const { name, status } = CORPUS[index] as (typeof CORPUS)[number]
  const { path, body } = requestOf(index)
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (answer.status === (status ?? answer.status) && answer.status < 500) return
  throw new Error(`${name} is answered with ${answer.status}: ${text.slice(0, 300)}`)
}

async function measureOne(
  { child, port }: { readonly child: ChildProcess; readonly port: number },
  index: number,
): Promise<Omit<Measured, 'name'>> {
  const costs: number[] = []
  let memory = 0
  for (let round = 0; round < rounds; round++) {
    const before = await usageOf(child)
    await send(port, index)
    const after = await usageOf(child)
    costs.push(after.cpu - before.cpu)
    memory = after.memory
  }
  const [first = 0, ...others] = costs
  const again = others.sort((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0
  return { first, again, memory }
}

async function measure(node: string): Promise<Measured[]> {
  const server = await start(node)
  const measured: Measured[] = []
  for (const [index, { name }] of CORPUS.entries()) {
    if (name.startsWith(values.only)) {
      measured.push({ name, ...(await measureOne(server, index)) })
    }
  }
  server.child.disconnect()
  return measured
}

const sections: string[] = []
for (const node of values.node) {
  const version = execFileSync(node, ['-p', 'process.versions.node']).toString().trim()
  sections.push(sectionOf(version, await measure(node)))
}
const isWhole = values.only === '' && !values.smoke
const page = pageOf(sections, { rounds, load })
if (isWhole) writeFileSync(join(import.meta.dirname, 'HOSTILE.md'), page)
console.log(
  values.smoke ? `${CORPUS.length} hostile requests are answered as they should be.` : page,
)
