// npm run bench:types [-- options]: what the types of routes cost the compiler: instantiations, the time of checking and memory, of programs
// with 100, 500 and 1,000 routes that mean the same to Blazon, Fastify, Elysia and Hono. The programs are written by types/programs.mjs.
//
//   --nodes 24         the Node that runs the older compilers, fetched by npm; this very one when it is not given. TypeScript 7 needs none.
//   --rounds 3         rounds with TypeScript 7, for times and memory; the others run once, because all count the same in every run
//   --only blazon,'TypeScript 7'  programs and compilers by name. What is not whole is shown, not written down.
//   --smoke            only whether every program compiles, a mistake is found in each, and Blazon's routes cost what they may
//
// It takes about a quarter of an hour, most of it TypeScript 5.9 and 6.
import { parseArgs } from 'node:util'
import { readEnvironment, readNode, readVersions } from './environment.mjs'
import { fetchNodes } from './nodes.mjs'
import { saveResults } from './report.mjs'
import {
  compilerTable,
  keepPrograms,
  MOST_INSTANTIATIONS,
  PACKAGES,
  SIZES,
} from './sections/types.mjs'
import { commandOf } from './summary.mjs'
import { COMPILERS, check, versionOfCompiler, writeProgram } from './types/compilers.mjs'
import { costOfRoute, MISTAKE_SIZE, requireFound } from './types/counts.mjs'
import { PROGRAMS } from './types/programs.mjs'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    smoke: { type: 'boolean', default: false },
  },
})

const NEWEST = Object.keys(COMPILERS).at(-1)

/** Those that are named, or all when none of this kind is named. */
function chosenOf(kind) {
  const only = values.only.split(',').filter(Boolean)
  const unknown = only.find((name) => !(name in COMPILERS) && !(name in PROGRAMS))
  if (unknown !== undefined) throw new Error(`--only does not know ${unknown}.`)
  const named = Object.keys(kind).filter((name) => only.includes(name))
  return named.length === 0 ? Object.keys(kind) : named
}

const programs = chosenOf(PROGRAMS)
const compilers = chosenOf(COMPILERS)

/** Throws when a compiler does not find the mistake in a program: then it does not check what it should. */
async function findMistakes(compiler, options) {
  for (const program of programs) {
    const folder = writeProgram(program, { routes: MISTAKE_SIZE, isPlanted: true })
    const { errors } = await check(compiler, folder, options)
    requireFound(`${compiler}, ${program}`, folder, errors)
  }
  console.error(`${compiler} finds the mistake in each program.`)
}

/** Small programs, which cost as much a route as large ones. */
async function smoke() {
  await findMistakes(NEWEST)
  const beyondSchemas = await costOfRoute(NEWEST, 'zod')
  for (const program of programs) {
    const cost = (await costOfRoute(NEWEST, program)) - beyondSchemas
    console.log(`${program}: ${cost.toFixed(0)} instantiations a route beyond its schemas`)
    if (!program.startsWith('blazon') || cost <= MOST_INSTANTIATIONS[program]) continue
    throw new Error(`${program}: a route may cost ${MOST_INSTANTIATIONS[program]} instantiations.`)
  }
}

/** Checks all programs of all sizes once; answers by size and program. */
async function checkAll(compiler, options) {
  const checked = {}
  for (const size of SIZES) {
    checked[size] = {}
    for (const program of programs) {
      const folder = writeProgram(program, { routes: size })
      checked[size][program] = await check(compiler, folder, options)
      console.error(`${compiler}: ${program}, ${size} routes`)
    }
  }
  return checked
}

async function measureWith(compiler, options) {
  await findMistakes(compiler, options)
  const rounds = compiler === NEWEST ? Number(values.rounds) : 1
  const checked = []
  for (let round = 0; round < rounds; round++) checked.push(await checkAll(compiler, options))
  return { version: versionOfCompiler(compiler), programs: keepPrograms(checked) }
}

async function measure() {
  const [path = process.execPath] = fetchNodes(values.nodes.split(',').filter(Boolean))
  const node = readNode(path)
  const environment = readEnvironment()
  const measured = {}
  for (const compiler of compilers) {
    measured[compiler] = await measureWith(compiler, { node: path })
    console.log(`\n${compiler}\n\n${compilerTable(measured[compiler])}\n`)
  }
  const isWhole = programs.length === Object.keys(PROGRAMS).length
  if (!isWhole || compilers.length < Object.keys(COMPILERS).length) return
  const rounds = Number(values.rounds)
  const command = commandOf('bench:types', { nodes: node.major, rounds })
  const versions = readVersions(PACKAGES)
  await saveResults('types', {
    versions,
    node: node.node,
    command,
    environment,
    rounds,
    compilers: measured,
  })
}

const task = values.smoke ? smoke : measure
task().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
