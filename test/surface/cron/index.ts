import { Clock, defineOption, type Plugin } from 'blazon'
import { toSeconds } from 'blazon/plugin'

/**
 * Runs a method of any class of the container at the minutes of a cron expression, in UTC: minute, hour, day of the month,
 * month, day of the week. Each field is `*`, a number, a list `1,15` or a step of a star, such as every fifth.
 *
 * @example
 * class Reports {
 *   @Cron('0 6 * * 1')
 *   async send() {}
 * }
 */
export const Cron = defineOption<string, 'method'>('Cron', {
  on: 'method',
  anywhere: true,
  check: (expression) => {
    try {
      compileCron(expression)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  },
})

const MINUTE = (toSeconds('1m') as number) * 1000

/** Runs the methods with {@link Cron}. A method that still runs is not called again. */
export function cron(): Plugin {
  let timer: { cancel(): void } | undefined
  return {
    name: 'cron',
    setup({ find, get, logger }) {
      const clock = get(Clock)
      const jobs = find(Cron).map(({ value, call, instance, method }) => {
        const name = `${instance.constructor.name}.${String(method)}`
        return { isDue: compileCron(value), call, name, isRunning: false }
      })
      if (jobs.length === 0) return
      const run = async (job: (typeof jobs)[number]) => {
        job.isRunning = true
        try {
          await job.call()
        } catch (err) {
          logger.error({ err, job: job.name }, 'A cron job failed')
        } finally {
          job.isRunning = false
        }
      }
      timer = clock.setInterval(() => {
        const now = new Date(clock.now())
        for (const job of jobs) if (!job.isRunning && job.isDue(now)) void run(job)
      }, MINUTE)
    },
    onClose: () => timer?.cancel(),
  }
}

const FIELDS = [
  { name: 'minute', least: 0, most: 59, read: (date: Date) => date.getUTCMinutes() },
  { name: 'hour', least: 0, most: 23, read: (date: Date) => date.getUTCHours() },
  { name: 'day', least: 1, most: 31, read: (date: Date) => date.getUTCDate() },
  { name: 'month', least: 1, most: 12, read: (date: Date) => date.getUTCMonth() + 1 },
  { name: 'weekday', least: 0, most: 6, read: (date: Date) => date.getUTCDay() },
] as const

/** Compiles an expression to a function that says whether a minute matches it. Throws for any other text. */
function compileCron(expression: string): (date: Date) => boolean {
  const parts = expression.trim().split(/\s+/)
  if (parts.length !== FIELDS.length) throw new Error(`'${expression}' does not have five fields.`)
  const tests = FIELDS.map((field, index) => compileField(parts[index] as string, field))
  return (date) => tests.every((test) => test(date))
}

function compileField(
  text: string,
  { name, least, most, read }: (typeof FIELDS)[number],
): (date: Date) => boolean {
  if (text === '*') return () => true
  const step = /^\*\/([1-9]\d*)$/.exec(text)?.[1]
  if (step !== undefined) return (date) => read(date) % Number(step) === 0
  const numbers = text.split(',').map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN))
  if (numbers.every((number) => number >= least && number <= most)) {
    return (date) => numbers.includes(read(date))
  }
  throw new Error(
    `Its ${name} is '${text}', not a star, a step or numbers from ${least} to ${most}.`,
  )
}
