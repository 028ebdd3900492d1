// Instructions of a row of a stream, counted by callgrind of valgrind: they repeat within about 1 %, on busy machines, too. They are
// those of the main thread, without the kernel's.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { read } from './client.mjs'

const SERVER = join(import.meta.dirname, 'server.mjs')
/** valgrind is slow: so many rows show what a million do. */
export const COUNTED_ROWS = 100_000
const WARM_UP_ROWS = 20_000

export const canCount = () => spawnSync('valgrind', ['--version']).error === undefined

/** Instructions of a row of a whole stream, its head and its end included. */
export async function instructionsOf({ lane, node, format }) {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-count-'))
  const options = ['-q', '--tool=callgrind', '--separate-threads=yes']
  const out = `--callgrind-out-file=${folder}/out`
  const child = spawn('valgrind', [...options, out, node, '--expose-gc', SERVER, lane], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const control = (option) => execFileSync('callgrind_control', [option, String(child.pid)])
  try {
    const [{ port }] = await once(child, 'message')
    for (let i = 0; i < 2; i++) await read(port, `/${format}?count=${WARM_UP_ROWS}`)
    control('--zero')
    await read(port, `/${format}?count=${COUNTED_ROWS}`)
    // What the end of the process takes is not counted.
    control('--instr=off')
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
    // The file of the first thread is the main thread's.
    const totals = /^totals: (\d+)/m.exec(readFileSync(join(folder, 'out-01'), 'utf8'))
    return Number(totals?.[1]) / COUNTED_ROWS
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
