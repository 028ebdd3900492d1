// npm run bench -- [options]: what requests cost, beside others. bench/RESULTS.md says how to read it.
//
//   --nodes 20,24,26    Nodes to measure on, fetched by npm; --node /path/to/node, any number of times, for one that is there.
//                       This very Node when neither is given.
//   --rounds 5          rounds of each session
//   --seconds 1         seconds of load of a candidate in a round: whole ones, as wrk has them
//   --only full,blazon  sessions and candidates by name. A session in which not every candidate takes part is shown, not written down.
//   --count             instructions instead of times, by valgrind: on machines whose processors do not count them, or that are busy.
//                       Counts are written down one by one, whoever takes part.
//   --smoke             only whether all answer as they should, in seconds
//   --draw              only the page and the plots, from the numbers that are there
//   --check             only whether the page says what the numbers are
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    node: { type: 'string', multiple: true, default: [] },
    nodes: { type: 'string', default: '' },
    count: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    draw: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})

const list = (text) => text.split(',').filter(Boolean)

async function draw() {
  const { drawReport } = await import('./report.mjs')
  await drawReport()
}

async function check() {
  const { checkReport } = await import('./report.mjs')
  await checkReport()
}

async function smoke() {
  // As many as show that they are found; how many there are makes no difference to whether the answers are right.
  process.env.BENCH_ROUTES = '200'
  const { checkAll } = await import('./smoke.mjs')
  await checkAll()
}

async function measure() {
  const { measureRequests } = await import('./evidence.mjs')
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  await measureRequests({ nodes: await chosenNodes(), rounds, seconds, only: list(values.only) })
}

async function count() {
  const { countRequests } = await import('./evidence.mjs')
  await countRequests({ nodes: await chosenNodes(), only: list(values.only) })
}

async function chosenNodes() {
  const { fetchNodes } = await import('./nodes.mjs')
  const nodes = [...values.node, ...fetchNodes(list(values.nodes))]
  return nodes.length === 0 ? [process.execPath] : nodes
}

const [task = measure] = [smoke, draw, check, count].filter(({ name }) => values[name])
task().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
