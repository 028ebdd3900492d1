import type { RanStatement } from '../../contracts/database.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Token } from '../../contracts/provider.js'
import type { TestJobs as TestJobsPort } from '../../contracts/test-jobs.js'
import { TestJobs } from '../../di/token.js'
import { ConfigError } from '../../errors/config-error.js'
import { WorkContext } from '../../http/contexts.js'

type OnStatement = (jobId: string, statement: RanStatement) => void

/** Watches the statements of jobs. */
export class WorkWatch {
  #onStatement: OnStatement | undefined

  /** The plugin that observes the application. */
  readonly plugin: Plugin = {
    name: 'statements of jobs',
    requests: () => ({
      onStatement: (statement) => {
        const id = WorkContext.current()?.id
        if (id !== undefined) this.#onStatement?.(id, statement)
      },
      needsRequests: false,
    }),
  }

  /** Calls a function for each statement of a job, until another function replaces it. */
  watch(onStatement: OnStatement | undefined): void {
    this.#onStatement = onStatement
  }

  /** The jobs of an application, and an observer of their statements; `null` for an application without `jobs()`. */
  jobsOf(app: { get<T>(token: Token<T>): T }): JobsUnderTest | null {
    try {
      return { jobs: app.get(TestJobs), watch: (onStatement) => this.watch(onStatement) }
    } catch (error) {
      if (error instanceof ConfigError) return null
      throw error
    }
  }
}

/** The jobs of an application under test. */
export interface JobsUnderTest {
  readonly jobs: TestJobsPort
  readonly watch: (onStatement: OnStatement | undefined) => void
}
