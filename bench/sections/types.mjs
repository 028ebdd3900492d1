// What the types of routes cost the compiler: bench/types.mjs.
import { describeEnvironment } from '../environment.mjs'
import { medianOf, summarize, summarizeRatios } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'
import { PROGRAMS } from '../types/programs.mjs'

/** Numbers of routes; the ratio of the last two steps says whether the cost is linear. */
export const SIZES = [100, 500, 1000]

/** Packages whose versions stand in the results. */
export const PACKAGES = [
  'zod',
  'fastify',
  'fastify-type-provider-zod',
  'elysia',
  'hono',
  '@hono/zod-validator',
]

/** Instantiations that a route may cost beyond its schemas. */
export const MOST_INSTANTIATIONS = { blazon: 400, 'blazon-legacy': 400, 'blazon-decorated': 450 }

/** A route of 1,000 may cost so much of one of 500. */
const MOST_GROWTH = 1.05

/** What is kept of the rounds, by program and size: counts as they are, and how times and memory are spread. */
export function keepPrograms(rounds) {
  const names = Object.keys(rounds[0][SIZES[0]])
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(SIZES.map((size) => [size, keepSize(rounds, { size, name })])),
    ]),
  )
}

function keepSize(rounds, { size, name }) {
  const of = (field, program = name) => rounds.map((round) => round[size][program]?.[field])
  const { instantiations, types, errors } = rounds[0][size][name]
  return {
    instantiations,
    types,
    errors: [...new Set(errors.map(({ code }) => code))],
    seconds: summarize(of('seconds')),
    megabytes: summarize(of('megabytes')),
    blazonIs: {
      seconds: summarizeRatios(of('seconds', 'blazon'), of('seconds'))?.median,
      megabytes: summarizeRatios(of('megabytes', 'blazon'), of('megabytes'))?.median,
    },
  }
}

/** What each route between two sizes costs. */
function costBetween(program, [from, to]) {
  return (program[to].instantiations - program[from].instantiations) / (to - from)
}

const [FEW, SOME, MANY] = SIZES

function growthOf(program) {
  return costBetween(program, [SOME, MANY]) / costBetween(program, [FEW, SOME])
}

const times = (value) => (value === undefined ? '' : `${value.toFixed(2)}×`)

/** A row for each program that was checked. */
export function compilerTable({ programs }) {
  const schemas = programs.zod && costBetween(programs.zod, [FEW, MANY])
  const rows = Object.entries(programs).map(([name, program]) => {
    const cost = costBetween(program, [FEW, MANY])
    const { megabytes, blazonIs, errors } = program[MANY]
    const ofBlazon = (field) => (name === 'blazon' ? '' : times(blazonIs[field]))
    return [
      PROGRAMS[name].title,
      cost.toFixed(0),
      schemas === undefined || name === 'zod' ? '' : (cost - schemas).toFixed(0),
      times(growthOf(program)),
      ...SIZES.map((size) => medianOf(program[size].seconds).toFixed(2)),
      ofBlazon('seconds'),
      medianOf(megabytes).toFixed(0),
      ofBlazon('megabytes'),
      errors.length === 0 ? '' : errors.join(', '),
    ]
  })
  const seconds = SIZES.map((size) => `s, ${size} routes`)
  const head = ['', 'instantiations a route', 'beyond zod', 'growth', ...seconds, 'Blazon is']
  return markdownTable([...head, 'MB', 'Blazon is', 'errors'], rows)
}

function goalsOf({ node, compilers }) {
  const major = Number.parseInt(node, 10)
  const [newest] = Object.keys(compilers).slice(-1)
  const { programs } = compilers[newest]
  const cost = (name) => costBetween(programs[name], [FEW, MANY])
  return [
    {
      id: 'types/route',
      what: `instantiations of a route beyond its schemas, ${newest}`,
      most: { default: MOST_INSTANTIATIONS.blazon },
      unit: 'instantiations',
      measured: { [major]: cost('blazon') - cost('zod') },
    },
    {
      id: 'types/growth',
      what: `instantiations of a route among 1,000, of one among 500, ${newest}`,
      most: { default: MOST_GROWTH },
      unit: '×',
      measured: { [major]: growthOf(programs.blazon) },
    },
  ]
}

/** The section of the page; see report.mjs. */
export function section(results) {
  const { versions, node, environment, rounds, compilers } = results
  const tables = Object.entries(compilers).map(
    ([name, compiler]) => `### ${name} (${compiler.version})\n\n${compilerTable(compiler)}`,
  )
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return {
    title: 'What types cost the compiler',
    goals: goalsOf(results),
    body: `${HOW_TO_READ}

Node ${node} ran the older compilers, once each; TypeScript 7 ran ${rounds} times. ${describeEnvironment(environment)} ${named.join(', ')}.

${tables.join('\n\n')}`,
  }
}

const HOW_TO_READ = `Measured by \`npm run bench:types\` with \`tsc --extendedDiagnostics\`.

Files of ten routes each: a controller, a plugin or an instance, and a file that takes all of them together. Every route is a \`POST\` with a parameter in its path and a body of four
fields, both with a schema of zod, and a handler that reads them with the types of the schemas. **zod alone** has the same schemas and functions of their types, and no framework.
Hono's client, \`hc\`, is a type: it calls one route of each file. Blazon's client is a file that a command writes, so it costs the compiler nothing here.

**instantiations a route** is what each route between ${FEW} and ${MANY} adds; the compiler counts the same in every run. **beyond zod** is that without what the schemas take
by themselves. **growth** is what a route between ${SOME} and ${MANY} adds, of what one between ${FEW} and ${SOME} does: 1 where the cost is linear. **s** is the time of checking alone, **MB** is the
memory used, both medians; **Blazon is** the median, over the rounds, of what Blazon takes over what the row takes, with ${MANY} routes. **errors** are those of the program
with ${MANY} routes, which has no mistake: TS2589 says that the compiler gave up, because a type was too deep.

A program is worth measuring when the compiler finds a mistake in it: before the others, one with a misspelt field in its last handler is compiled, with \`hc\` in its last call, and exactly that
error must be found. \`npm run bench:types -- --smoke\` does only that, and fails when a route of Blazon's costs more instantiations than it may.`
