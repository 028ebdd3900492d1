// What a process has loaded when its first answer is there, by file: bytes of JavaScript, and how many of them are functions that
// ran. V8 counts both (NODE_V8_COVERAGE), so a busy machine changes nothing. Modules of Node itself and JSON are not counted.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const bench = join(import.meta.dirname, '..')

/** An application's own files, in place of a package. */
const OWN = 'the application'

/**
 * Runs a program that writes V8's coverage, and sums up what it has loaded.
 *
 * @param run is given the environment, starts the program with it, and ends it.
 * @returns `packages` and `files` by name: `{ files, bytes, ran }`, the largest first.
 */
export async function readLoaded(run) {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-loaded-'))
  try {
    await run({ NODE_V8_COVERAGE: folder })
    const scripts = readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      return result.filter(({ url }) => url.startsWith('file:'))
    })
    return sumUp(scripts)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sumUp(scripts) {
  const [packages, files] = [{}, {}]
  for (const { url, functions } of scripts) {
    const path = fileURLToPath(url)
    const bytes = readFileSync(path).length
    const ran = Math.min(bytes, countRan(functions))
    add(packages, packageOf(path), { bytes, ran })
    add(files, nameOf(path), { bytes, ran })
  }
  return { packages: bySize(packages), files: bySize(files) }
}

function add(sums, name, { bytes, ran }) {
  const sum = sums[name] ?? { files: 0, bytes: 0, ran: 0 }
  sums[name] = { files: sum.files + 1, bytes: sum.bytes + bytes, ran: sum.ran + ran }
}

function bySize(sums) {
  return Object.fromEntries(Object.entries(sums).sort(([, a], [, b]) => b.bytes - a.bytes))
}

/** Ranges lie in one another, the whole script first. A place has run if the innermost range around it has. */
function countRan(functions) {
  const ranges = functions.flatMap((each) => each.ranges)
  const end = Math.max(0, ...ranges.map(({ endOffset }) => endOffset))
  const ran = new Uint8Array(end)
  ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset))
  for (const { startOffset, endOffset, count } of ranges) {
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  return ran.reduce((sum, each) => sum + each, 0)
}

function packageOf(path) {
  const inside = path.split('/node_modules/').at(-1)
  if (inside === path) return OWN
  const [first, second] = inside.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

function nameOf(path) {
  const inside = path.split('/node_modules/').at(-1)
  return inside === path ? relative(bench, path) : inside
}
