// What JSON costs, and what a schema may save of it: bench/serializer.mjs.
import { describeEnvironment } from '../environment.mjs'
import { ANSWERS } from '../serializer/answers.mjs'
import { summarizeLanes } from '../summary.mjs'
import { markdownTable } from '../tables.mjs'

/** Each with its title, the file that is run, and the lane that it is compared with. */
export const LANES = {
  stringify: { title: 'node:http, `JSON.stringify`', file: 'peers/serializers.mjs' },
  fast: { title: 'fast-json-stringify', file: 'peers/serializers.mjs', of: 'stringify' },
  checked: { title: 'the same, nothing lost', file: 'peers/serializers.mjs', of: 'stringify' },
  undocumented: { title: 'Blazon', file: '.build/documented.mjs' },
  documented: { title: 'documented', file: '.build/documented.mjs', of: 'undocumented' },
}

const PAIRS = Object.entries(LANES).flatMap(([name, { of }]) =>
  of === undefined ? [] : [[name, of]],
)

/** What is kept of the lanes of an answer. */
export function keepLanes(lanes) {
  const costs = Object.entries(lanes).map(([name, { microseconds, userKilo, kernelKilo }]) => [
    name,
    { microseconds, kilo: userKilo.map((user, round) => user + kernelKilo[round]) },
  ])
  return summarizeLanes(Object.fromEntries(costs), {
    spread: ['microseconds'],
    middle: ['kilo'],
    pairs: PAIRS,
  })
}

/** Thousands of instructions where they can be counted, else microseconds of CPU time. */
const cost = ({ microseconds, kilo = microseconds.median }) => kilo

function cell(lanes, name) {
  const { of } = LANES[name]
  return of === undefined
    ? Math.round(cost(lanes[name]))
    : `${cost(lanes[name].of[of]).toFixed(2)}×`
}

/** A row for each answer on one Node. */
export function nodeTable({ answers }) {
  const rows = Object.entries(answers).map(([name, { bytes, lanes }]) => [
    ANSWERS[name].title,
    bytes,
    ...Object.keys(LANES).map((lane) => cell(lanes, lane)),
  ])
  return markdownTable(['', 'bytes', ...Object.values(LANES).map(({ title }) => title)], rows)
}

export function section({ versions, nodes }) {
  const tables = Object.values(nodes).map(
    ({ node, v8, environment, rounds, ...measured }) =>
      `### Node ${node} (V8 ${v8})\n\n${nodeTable(measured)}\n\n${rounds} rounds. ${describeEnvironment(environment)}`,
  )
  return {
    title: 'JSON, and what a schema may save of it',
    goals: [],
    body: `${tables.join('\n\n')}

### How to read it

Written by \`npm run bench:serializer\`, with fast-json-stringify ${versions['fast-json-stringify']}.

Whole requests over sockets. **node:http** and **Blazon** are thousands of instructions a request, user and kernel (microseconds of CPU time where
instructions cannot be counted); what stands right of one of them is its share of that, the median over the rounds.
**fast-json-stringify** is compiled from the schema of the answer; it leaves out properties that the schema does not have, and converts values
of another type. **nothing lost** first looks whether the answer fits, with a compiled check that counts properties and compares types, and leaves what does not
fit to \`JSON.stringify\`. **documented** is the same route of Blazon's with \`@ApiResponseDoc\`.

A serializer that is compiled from the schema is not part of Blazon because of these numbers: without dates it costs more than
\`JSON.stringify\`, and the more so the newer V8 is. What it saves, it saves on dates, and a documented route has that without it:
their text is written before \`JSON.stringify\` has to ask every date for it, and the rest of the answer is left as it is, so nothing can be lost.`,
  }
}
