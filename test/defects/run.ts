// Plants each defect in a copy of the working tree, and tells whether the tests for its file notice it.
// `npm run defects` takes all; `npm run defects -- <id> …` takes some; `-- --long` runs the survivors against the long tests, too, and
// `-- --wider` against all of `npm test`. Under 85 % caught, it ends with 1. It takes too long for `.ci/run`.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { testsFor } from '../../scripts/tests-for.mjs'
import { root } from '../root.js'
import { type Defect, KINDS, type Kind } from './defect.js'
import { defects } from './defects.js'
import { copyTree, planted } from './tree.js'
import { firstFailure, OUTSIDE } from './vitest.js'

/** The least part of the defects that tests have to notice. */
const LEAST = 0.85
/** As many as `npm run quick` runs. `--wider` runs the others for what these do not notice. */
const NEAREST = 30
/** All tests of `npm test`. */
const ALL = ['test/']

// Not in `.cache`: Express sends no file from a folder whose name begins with a dot.
const folder = join(tmpdir(), 'blazon-defects')

/** What runs: parts of paths of tests, and the projects of `vitest.config.ts`. Default: those of `npm test`. */
interface Tests {
  readonly tests: readonly string[]
  readonly projects?: readonly string[] | undefined
}

/** Tests by whether they pass without a defect. */
const sound = new Map<string, Promise<boolean>>()

/** Whether tests pass without a defect. One that does not has noticed nothing. */
function areSound({ tests, projects }: Tests): Promise<boolean> {
  const key = tests.join()
  const known = sound.get(key)
  if (known !== undefined) return known
  const asked = firstFailure(folder, { tests, projects }).then((failed) => failed === null)
  sound.set(key, asked)
  return asked
}

/** Returns what has noticed a defect; `null` if nothing has. Tests that also fail without the defect are left out. */
async function judge(defect: Defect, { tests, projects }: Tests): Promise<string | null> {
  const excluded: string[] = []
  for (;;) {
    const run = () => firstFailure(folder, { tests, projects, excluded })
    const caught = await planted(folder, defect, run)
    if (caught === null) return null
    if (await areSound({ tests: caught === OUTSIDE ? tests : [caught], projects })) return caught
    if (caught === OUTSIDE) throw new Error('The tests fail without a defect, too.')
    console.log(`  ${caught} fails without a defect, too, and is left out.`)
    excluded.push(caught)
  }
}

function chosen() {
  const options = { wider: { type: 'boolean' }, long: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const unknown = positionals.filter((id) => !defects.some((each) => each.id === id))
  if (unknown.length > 0) {
    console.error(`There is no defect ${unknown.join(', ')}.`)
    process.exit(2)
  }
  const list = defects.filter(({ id }) => positionals.length === 0 || positionals.includes(id))
  return { isWider: values.wider === true, isLong: values.long === true, list }
}

function printTable(list: readonly Defect[], survivors: ReadonlySet<Defect>): void {
  const row = (kind: string, of: readonly Defect[]) => {
    const caught = of.filter((each) => !survivors.has(each)).length
    const percent = Math.round((100 * caught) / of.length)
    console.log(`${kind.padEnd(12)} ${`${caught} of ${of.length}`.padStart(9)} ${percent} %`)
  }
  console.log('\nCaught:')
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const of = list.filter((each) => each.kind === kind)
    if (of.length > 0) row(kind, of)
  }
  row('all', list)
}

// The tests run in a group of their own, which ends when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { isWider, isLong, list } = chosen()
copyTree(root, folder)
const survivors = new Set<Defect>()

/** Judges a defect, and prints the result. One that cannot be judged counts as a survivor. */
async function note(defect: Defect, tests: readonly string[], projects?: string[]): Promise<void> {
  const name = `${defect.id.padEnd(26)} ${defect.kind.padEnd(12)}`
  try {
    const caught = await judge(defect, { tests, projects })
    if (caught === null) survivors.add(defect)
    else survivors.delete(defect)
    console.log(
      caught === null
        ? `${name} SURVIVED  ${defect.file}: ${defect.what}`
        : `${name} caught by ${caught}`,
    )
  } catch (error) {
    survivors.add(defect)
    console.log(`${name} UNDECIDED  ${defect.file}: ${(error as Error).message}`)
  }
}

for (const defect of list) await note(defect, testsFor(defect.file).slice(0, NEAREST))
if (isLong && survivors.size > 0) {
  console.log('\nThe survivors, with the long tests:')
  for (const defect of [...survivors])
    await note(defect, testsFor(defect.file), ['long', 'long-alone'])
}
if (isWider && survivors.size > 0) {
  console.log('\nThe survivors, with all tests of npm test:')
  for (const defect of [...survivors]) await note(defect, ALL)
}
printTable(list, survivors)
process.exitCode = 1 - survivors.size / list.length < LEAST ? 1 : 0
