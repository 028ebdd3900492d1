import { SpanKind } from '@opentelemetry/api'
import { App, Controller, inject, Post } from 'blazon'
import { defineJob, Job, Jobs, jobs, Worker } from 'blazon/jobs'
import { otel } from 'blazon/otel'
import { Database, postgres, Transactional } from 'blazon/postgres'
import { afterAll, expect, it, vi } from 'vitest'
import { Tracing } from '../../journeys/otel/tracing.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { until } from '../until.js'
import { describeJobs } from './support.js'

startPgliteFromTemplate()

const Mark = defineJob('mark')
let runs = 0

@Worker()
class Marks {
  readonly db = inject(Database)

  @Job(Mark)
  async mark() {
    await this.db.query('select 1')
    runs++
  }
}

@Controller('marks')
class MarksController {
  readonly jobs = inject(Jobs)

  @Post()
  @Transactional()
  async add() {
    await this.jobs.send(Mark)
  }
}

const tracing = new Tracing()
afterAll(() => tracing.end())

describeJobs('an application that runs jobs', () => {
  it('creates a span for each job run below the span of the send, in the trace of the request', async () => {
    const work = jobs({ work: true, workers: [Marks] })
    const plugins = [otel(), postgres({ embedded: 'memory' }), work]
    const app = await App.create({ controllers: [MarksController], logger: false, plugins })
    const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
    const response = await fetch(`http://127.0.0.1:${port}/marks`, { method: 'POST' })
    expect(response.status).toBe(204)
    await until(() => tracing.spans.some(({ name }) => name === 'process mark'))
    expect(runs).toBe(1)
    const [server, sent, run] = ['POST /marks', 'send mark', 'process mark'].map((name) =>
      tracing.one(name),
    )
    expect(run?.kind).toBe(SpanKind.CONSUMER)
    expect(run?.parentSpanContext?.spanId).toBe(sent?.spanContext().spanId)
    expect(run?.spanContext().traceId).toBe(server?.spanContext().traceId)

    // It is ready while its workers look for jobs, and no longer when they have not for a minute.
    const get: App['get'] = (token) => app.get(token)
    const check = () => (work.health as (app: { get: App['get'] }) => void)({ get })
    expect(check).not.toThrow()
    const later = Date.now() + 61_000
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
    expect(check).toThrow('No worker has looked for jobs for a minute.')
    clock.mockRestore()
    await app.close()
  })
})
