// From the start of a process to its first answer: bench/startup.mjs.
import { describeEnvironment } from '../environment.mjs'
import { medianOf, summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'
import { plotOfLoaded, textOfLoaded } from './startup/loaded.mjs'

/** Packages whose versions stand in the results. */
export const PACKAGES = [
  'fastify',
  '@fastify/swagger',
  '@fastify/helmet',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  'class-validator',
  'express',
  'helmet',
  'zod',
]

/** Each with its title, the file that is run, and what it is. */
export const CANDIDATES = {
  node: { title: 'bare node:http', file: 'startup/node.mjs', isFloor: true },
  express: { title: 'Express and zod, no document', file: 'startup/express.mjs' },
  fastify: {
    title: 'Fastify, @fastify/swagger, JSON Schema',
    file: 'peers/startup/fastify.mjs',
    hasDocument: true,
  },
  'fastify-zod': {
    title: 'Fastify, @fastify/swagger, zod',
    file: 'peers/startup/fastify-zod.mjs',
    hasDocument: true,
  },
  nest: {
    title: 'NestJS on Express, @nestjs/swagger',
    file: 'peers/.build/start-nest.mjs',
    hasDocument: true,
  },
  blazon: { title: 'Blazon and zod', file: '.build/start-blazon.mjs', hasDocument: true },
}

const GOALS = [
  { of: 'nest', most: 0.5 },
  { of: 'fastify-zod', most: 0.6 },
  { of: 'fastify', most: 0.8 },
]

/** What is kept of the candidates. */
export function keepCandidates(candidates) {
  const others = Object.keys(candidates).filter((name) => name !== 'blazon')
  const pairs = others.map((name) => ['blazon', name])
  return summarizeLanes(candidates, {
    spread: ['wall'],
    middle: ['cpu', 'resident'],
    pairs,
  })
}

/** The candidates with their counts, in millions of instructions, and what Blazon takes of the others'. */
export function addCounts(candidates, counts) {
  const counted = Object.entries(candidates).map(([name, kept]) => [
    name,
    { ...kept, instructions: Number(counts[name].toFixed(1)) },
  ])
  const { blazon, ...others } = Object.fromEntries(counted)
  const of = Object.entries(blazon.of).map(([other, ratios]) => [
    other,
    { ...ratios, instructions: Number((counts.blazon / counts[other]).toFixed(4)) },
  ])
  return { ...others, blazon: { ...blazon, of: Object.fromEntries(of) } }
}

/** The median of what Blazon takes over what another takes in the same round. */
function ratio(candidates, other, key) {
  return medianOf(candidates.blazon.of[other][key])
}

/** A row for each candidate on one Node. */
export function nodeTable({ candidates }) {
  const rows = Object.entries(CANDIDATES).map(([name, { title }]) => {
    const column = (key) => medianOf(candidates[name][key])?.toFixed(0) ?? ''
    const times = (key) => {
      const value = name === 'blazon' ? undefined : ratio(candidates, name, key)
      return value === undefined ? '' : `${value.toFixed(2)}×`
    }
    return [
      title,
      ...['wall', 'cpu', 'instructions', 'resident'].map(column),
      ...['wall', 'cpu', 'instructions'].map(times),
    ]
  })
  const head = ['', 'ms', 'ms CPU', 'million instructions', 'MB', 'Blazon is', 'by CPU']
  return markdownTable([...head, 'by instructions'], rows)
}

function goalOf({ of, most }, nodes) {
  const measured = {}
  const note = {}
  for (const [major, { candidates }] of Object.entries(nodes)) {
    measured[major] = ratio(candidates, of, 'wall')
    const instructions = ratio(candidates, of, 'instructions')
    if (instructions !== undefined) note[major] = `${instructions.toFixed(2)} by instructions`
  }
  const what = `start to first answer, of ${CANDIDATES[of].title}`
  return { id: `startup/${of}`, what, most: { default: most }, unit: '×', measured, note }
}

export function section({ versions, nodes, loaded }) {
  const tables = Object.values(nodes).map(
    ({ node, environment, rounds, ...measured }) =>
      `### Node ${node}\n\n${nodeTable(measured)}\n\n${rounds} rounds. ${describeEnvironment(environment)}`,
  )
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return {
    title: 'From the start of a process to its first answer',
    goals: GOALS.map((goal) => goalOf(goal, nodes)),
    plots: loaded === undefined ? [] : [plotOfLoaded(loaded)],
    body: `${tables.join('\n\n')}

### How to read it

Written by \`npm run bench:startup\`, and counted by the same command with \`--count\`. ${named.join(', ')}.

Ten routes, four of them with a validated body; all but bare node:http send helmet's headers, and all but Express serve an OpenAPI
document. A round starts every candidate once, in a process of its own. **ms** is the time from the start of the process until its first
answer, to \`GET /users/42\`, has come whole over a socket; **ms CPU** and **MB** are the CPU time of all its threads and its resident memory
at that moment. **million instructions** are those of all threads of a process that is asked once, without the kernel's, the medians of three counts by callgrind, a
tool of valgrind; single counts of Blazon differ by 3 %, those of Express by 14 %. **Blazon is** the median, over the rounds, of what Blazon takes over what the other takes in the same round.

Everyone is compiled before: nobody is charged for a TypeScript loader. Fastify is there twice, because Blazon's zod has to be loaded, too:
once as its own documentation has it, and once with the same zod schemas.${loaded === undefined ? '' : `\n\n${textOfLoaded(loaded)}`}`,
  }
}
