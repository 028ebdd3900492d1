import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { Project } from '../cli/project.js'

/** An application that fails so many requests, and writes what it has logged. */
const PROGRAM = `
import { App, Controller, Get } from 'blazon'
class Work { broken() { throw new Error('x'.repeat(Number(process.env.LENGTH))) } }
Get('broken')(Work.prototype, 'broken', Object.getOwnPropertyDescriptor(Work.prototype, 'broken'))
Controller()(Work)
const warn = ({ err }, message) => console.log(message + ': ' + (err?.code ?? err))
const logger = { info() {}, error() {}, warn }
const app = await App.create({
  controllers: [Work], logger,
  records: { capsules: { folder: 'capsules', files: Number(process.env.FILES) } },
})
for (let i = 0; i < Number(process.env.REQUESTS); i++) {
  const response = await app.fetch(new Request('http://localhost/broken'))
  console.log(response.status)
  await response.text()
}
await app.close()
`

function project(): Project {
  const made = new Project([])
  onTestFinished(() => made.remove())
  made.write({ 'main.mjs': PROGRAM })
  return made
}

async function run(
  made: Project,
  env: Readonly<Record<string, string>>,
  before = '',
): Promise<string> {
  const child = spawn('sh', ['-c', `${before} exec "$0" main.mjs`, process.execPath], {
    cwd: made.path(''),
    env: { ...process.env, NODE_OPTIONS: '', LENGTH: '1', FILES: '50', REQUESTS: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}

it('a failed write leaves no partial capsule, changes no response and causes one warning', async () => {
  const made = project()
  const env = { LENGTH: '30000', REQUESTS: '3' }
  // As on a full disk, a part is written before the error.
  const lines = (await run(made, env, 'ulimit -f 8;')).trim().split('\n')
  expect(lines.sort()).toEqual([
    '500',
    '500',
    '500',
    'The capsule of a failed request could not be written: EFBIG',
  ])
  expect(readdirSync(made.path('capsules'))).toEqual(['.gitignore'])
})

it('a folder that several processes use contains only complete capsules, up to its limit', async () => {
  const made = project()
  const env = { FILES: '5', REQUESTS: '30' }
  const outputs = await Promise.all([run(made, env), run(made, env), run(made, env)])
  for (const output of outputs) expect(output).toBe('500\n'.repeat(30))
  const names = readdirSync(made.path('capsules')).filter((name) => name.endsWith('.json'))
  expect(names).toHaveLength(5)
  for (const name of names) {
    const { id } = JSON.parse(readFileSync(made.path(`capsules/${name}`), 'utf8'))
    expect(`${id}.json`).toBe(name)
  }
})
