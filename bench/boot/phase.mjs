// What every candidate of the boot benchmark does alike: it is told how many routes, and says what its boot took.

/** Ten routes a controller, five of them with a body. */
export const CONTROLLERS = Number(process.argv[2] ?? 1000) / 10

/** `modules` ends the process where the measured phase would begin: what is left is the cost of loading. */
const ENDS_EARLY = process.argv[3] === 'modules'

/** Everything before was loading modules; from here on the clock runs. */
export function beginPhase() {
  if (ENDS_EARLY) process.exit()
  const cpu = process.cpuUsage()
  const at = performance.now()
  return { cpu, at }
}

/** The server listens and the text of the document is there. */
export function endPhase({ cpu, at }, { port, text }) {
  const end = performance.now()
  const { user, system } = process.cpuUsage(cpu)
  process.on('disconnect', () => process.exit())
  process.send?.({
    port,
    text,
    figures: { phase: end - at, cpu: (user + system) / 1000, loading: at },
  })
  if (process.send === undefined) process.exit()
}
