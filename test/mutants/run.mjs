// Changes the source of rooms, one small change at a time, and counts how many of the changes a test notices.
// `npm run mutants` takes the rooms that differ from `main`; `npm run mutants -- routing http` takes these; `--all` takes all.
// `--save` writes scores that have risen into `scores.json`. A score that has fallen ends the run with 1.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ROOMS } from './rooms.mjs'
import { judge, scoreOf } from './score.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const scoresPath = join(here, 'scores.json')
const stryker = join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js')

/** Rooms with a file that is not as on `main`, committed or not. */
function changedRooms() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const base = git('merge-base', 'HEAD', 'main').trim()
  const untracked = git('ls-files', '--others', '--exclude-standard', 'src')
  const files = `${git('diff', '--name-only', base, '--', 'src')}\n${untracked}`.split('\n')
  return Object.keys(ROOMS).filter((room) =>
    files.some((file) => file.startsWith(`${ROOMS[room].mutate}/`)),
  )
}

function chosenRooms() {
  const options = { all: { type: 'boolean' }, save: { type: 'boolean' } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const unknown = positionals.filter((room) => !Object.hasOwn(ROOMS, room))
  if (unknown.length > 0) {
    console.error(
      `There is no room ${unknown.join(', ')}. Rooms: ${Object.keys(ROOMS).join(', ')}.`,
    )
    process.exit(2)
  }
  if (values.all) return { save: values.save, rooms: Object.keys(ROOMS) }
  return { save: values.save, rooms: positionals.length > 0 ? positionals : changedRooms() }
}

/** Runs Stryker on one room. Ends the process where Stryker itself fails: a test that fails without any change, for one. */
function measure(room) {
  const { mutate, oneOf = 1, tests } = ROOMS[room]
  const report = join(root, '.cache', `mutants-${room.replaceAll('/', '-')}.json`)
  mkdirSync(dirname(report), { recursive: true })
  const env = {
    ...process.env,
    MUTANTS_SOURCE: mutate,
    MUTANTS_ONE_OF: String(oneOf),
    MUTANTS_TESTS: JSON.stringify(tests),
    MUTANTS_REPORT: report,
  }
  const args = [stryker, 'run', 'test/mutants/stryker.config.mjs']
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  return scoreOf(JSON.parse(readFileSync(report, 'utf8')))
}

if (Number(process.versions.node.split('.')[0]) < 22) {
  console.error(`Stryker needs Node 22 or newer; this is ${process.version}.`)
  process.exit(2)
}
const { rooms, save } = chosenRooms()
if (rooms.length === 0) console.log('No room that is measured differs from main.')
const scores = JSON.parse(readFileSync(scoresPath, 'utf8'))
let hasFallen = false
for (const room of rooms) {
  const now = measure(room)
  for (const line of now.survivors) console.log(`  ${line}`)
  const { message, isFall, isRise } = judge(room, scores[room], now)
  console.log(message)
  hasFallen ||= isFall
  if (save && isRise) {
    const { survivors: _, ...kept } = now
    scores[room] = kept
    writeFileSync(scoresPath, `${JSON.stringify(scores, null, 2)}\n`)
  }
}
process.exit(hasFallen ? 1 : 0)
