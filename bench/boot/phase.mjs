// What every candidate of the boot benchmark does alike: it is told how many routes, and says what its boot took.

/** Ten routes a controller, five of them with a body. */
export const CONTROLLERS = Number(process.argv[2]) / 10

/** A process that is told so ends where the measured phase would begin: what is left is the cost of loading modules. */
const ENDS_EARLY = process.argv[3] === 'modules'

/** Called when all modules are loaded, and before anything of the API is defined. */
export function beginPhase() {
  if (ENDS_EARLY) process.exit()
  return { cpu: process.cpuUsage(), at: performance.now() }
}

/** Called when the server listens and the text of the document is there. */
export function endPhase({ cpu, at }, { port, text }) {
  const end = performance.now()
  const { user, system } = process.cpuUsage(cpu)
  // Nobody listens to one whose instructions are counted as a whole.
  if (process.send === undefined) process.exit()
  process.on('disconnect', () => process.exit())
  // Time since the start of the process: what came before the phase is loading.
  process.send({ port, text, wall: end - at, cpu: (user + system) / 1000, whole: end })
}
