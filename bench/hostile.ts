// npm run bench:hostile [-- --node /path/to/node --rounds 3 --only zod --smoke]: what one hostile body costs. bench/HOSTILE.md says what it means.
//
//   --node      any number of times; this very Node when it is not given
//   --rounds    times each is sent; the first one also pays for what is compiled with the first value
//   --only      requests whose name begins so; the page is not written then
//   --smoke     only whether all are answered as they should be
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CORPUS, requestOf } from './hostile/corpus.js'
import { type Measured, pageOf } from './hostile/page.js'

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    smoke: { type: 'boolean', default: false },
  },
})
const failures: string[] = []
const loadBefore = loadavg()[0] as number

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
async function usage(child: ChildProcess): Promise<{ cpu: number; rss: number }> {
  const answer = once(child, 'message')
  child.send('usage')
  return (await answer)[0] as { cpu: number; rss: number }
}

async function send(port: number, index: number): Promise<void> {
  const { name, status } = CORPUS[index] as (typeof CORPUS)[number]
  const { path, body } = requestOf(index)
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (answer.status !== (status ?? answer.status) || answer.status >= 500) {
    failures.push(`${name} is answered with ${answer.status}: ${text.slice(0, 300)}`)
  }
}

async function measure(node: string): Promise<Measured[]> {
  const { child, port } = await start(node)
  const measured: Measured[] = []
  for (const [index, { name }] of CORPUS.entries()) {
    if (!name.startsWith(values.only)) continue
    const costs: number[] = []
    process.stderr.write(`${name}: `)
    let rss = 0
    for (let round = 0; round < (values.smoke ? 1 : Number(values.rounds)); round++) {
      const before = await usage(child)
      await send(port, index)
      const after = await usage(child)
      costs.push(after.cpu - before.cpu)
      rss = after.rss
    }
    process.stderr.write(`${costs.map((cost) => cost.toFixed(0)).join(' ')} ms\n`)
    measured.push({ name, first: costs[0] as number, worst: Math.max(...costs.slice(1), 0), rss })
  }
  child.disconnect()
  return measured
}

const sections: string[] = []
for (const node of values.node) {
  const measured = await measure(node)
  if (values.smoke) continue
  sections.push(pageOf(process.versions.node, measured))
  console.log(sections.at(-1))
}
for (const failure of failures) console.error(failure)
if (values.smoke) console.log(`${CORPUS.length} hostile requests are answered as they should be.`)
