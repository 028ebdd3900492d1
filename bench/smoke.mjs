// npm run bench -- --smoke: every workload with every candidate, a fraction of a second each. Whether they answer as they should, and
// nothing about how fast: it needs neither wrk nor a quiet machine.
import { Agent } from 'node:http'
import { availableParallelism } from 'node:os'
import { checkAlike } from './alike.mjs'
import { CANDIDATES, canBe, startCandidate } from './candidates.mjs'
import { ask, checkResponses } from './check.mjs'
import { compileCandidates } from './compile.mjs'
import { isRoutes, ROUTES_ASKED } from './routes.mjs'
import { WORKLOADS } from './workloads.mjs'

const LOAD_MS = 50
const CONNECTIONS = 8

/** A process for each application of a candidate, with the workloads that it can be asked. The floor is told which, so it has one each. */
function planProcesses() {
  const plans = new Map()
  for (const candidate of Object.keys(CANDIDATES)) {
    for (const workload of Object.keys(WORKLOADS)) {
      const app = appOf(workload)
      if (!canBe(candidate, app)) continue
      const key = `${candidate}/${candidate === 'node' ? workload : app}`
      if (!plans.has(key)) plans.set(key, { candidate, app, workloads: [] })
      plans.get(key).workloads.push(workload)
    }
  }
  return [...plans.values()]
}

/** Applications of one route are one application here: a process for each would say nothing more, and take seconds. */
function appOf(workload) {
  const { app } = WORKLOADS[workload]
  return isRoutes(app) && app !== 'routes:all' ? ROUTES_ASKED : app
}

/** Checks the workloads of one process; answers with what it answered, by workload. */
async function checkProcess({ candidate, app, workloads }) {
  const server = await startCandidate(candidate, { app, workload: workloads[0], isPinned: false })
  const answers = []
  for (const workload of workloads) {
    const lane = { ...server, name: `${candidate}/${workload}`, candidate }
    const answer = await checkResponses(lane, WORKLOADS[workload])
    const count = await load(lane, WORKLOADS[workload])
    console.error(`${lane.name}: ${count} answers as expected`)
    answers.push({ candidate, workload, answer })
  }
  server.stop()
  return answers
}

/** Sends requests on some connections at once; each answer must be as the first. */
async function load({ name, port }, { request, expected }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const end = performance.now() + LOAD_MS
  let count = 0
  const send = async () => {
    do {
      const { status, body } = await ask(port, { ...request, agent })
      const isExpected = status === expected.status && body === (expected.body ?? body)
      if (!isExpected) throw new Error(`${name} answers ${status} under load: ${body}`)
      count++
    } while (performance.now() < end)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  agent.destroy()
  return count
}

/** Runs tasks, as many at a time as there are cores. */
async function runAll(tasks) {
  const results = []
  const queue = tasks.values()
  const work = async () => {
    for (const task of queue) results.push(...(await task()))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return results
}

export async function checkAll() {
  await compileCandidates()
  const answers = await runAll(planProcesses().map((plan) => () => checkProcess(plan)))
  checkAlike(answers)
  console.log(
    `${answers.length} workloads of ${Object.keys(CANDIDATES).length} candidates answer as they should.`,
  )
}
