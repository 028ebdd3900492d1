// Instructions of a server while something long runs, a stream or an upload, counted by callgrind of valgrind. They repeat within
// about 1 %, on busy machines, too. They are those of the main thread, without the kernel's.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Throws, with the remedy, when this machine cannot count. */
export function checkValgrind() {
  if (spawnSync('valgrind', ['--version']).error === undefined) return
  throw new Error('valgrind is missing: apt-get install valgrind')
}

/**
 * The instructions of a server while it does something once.
 *
 * @param server arguments of `node`, which is a path. The program sends `{ port }` when it listens, and ends when it is disconnected.
 * @param warmUp called with the port before anything is counted.
 * @param run called with the port; what the server does meanwhile is counted.
 */
export async function countRun({ node, args }, { warmUp, run }) {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-count-'))
  const options = ['-q', '--tool=callgrind', '--separate-threads=yes']
  const out = `--callgrind-out-file=${folder}/out`
  const child = spawn('valgrind', [...options, out, node, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const control = (option) =>
    execFileSync('callgrind_control', [option, String(child.pid)], { stdio: 'ignore' })
  try {
    const [{ port }] = await once(child, 'message')
    await warmUp(port)
    control('--zero')
    await run(port)
    // What the end of the process takes is not counted.
    control('--instr=off')
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
    return mainThreadOf(folder)
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The file of the first thread is the main thread's. */
function mainThreadOf(folder) {
  const total = /^totals: (\d+)/m.exec(readFileSync(join(folder, 'out-01'), 'utf8'))?.[1]
  if (total === undefined) throw new Error('callgrind wrote no total.')
  return Number(total)
}
