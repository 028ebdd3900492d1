// A consumer of every door, which resolution.test.ts compiles under each way to resolve modules.
import { App, type AppOptions, Controller, Get, HttpError, type User } from 'blazon'
import { defineJob, type Jobs } from 'blazon/jobs'
import { jwt } from 'blazon/jwt'
import { otel } from 'blazon/otel'
import { type PluginSteps, Refusal } from 'blazon/plugin'
import { postgres, sql } from 'blazon/postgres'
import { redisCache } from 'blazon/redis'
import { sessions } from 'blazon/sessions'
import { type LogEntry, TestApp, type TestOptions } from 'blazon/testing'
import { dataSourceOf } from 'blazon/typeorm'
import { blazon } from 'blazon/vite'

declare module 'blazon' {
  interface User {
    readonly plan: 'free' | 'paid'
  }
}

class Users {
  list(): string[] {
    return []
  }
}

export const options: AppOptions = {
  controllers: [Users],
  plugins: [postgres({ url: 'postgres://localhost' })],
}
export const app: App = new App(options)
export const tested: Promise<App> = TestApp.create(options satisfies TestOptions)
const Nightly = defineJob('nightly')
export const sent = (jobs: Jobs): Promise<string | null> => jobs.send(Nightly)
export const plan = (user: User): 'free' | 'paid' => user.plan
export const others = [
  HttpError,
  Controller,
  Get,
  sql,
  otel,
  redisCache,
  sessions,
  dataSourceOf,
  blazon,
  jwt,
  Refusal,
]
export const steps: PluginSteps = { afterGuard: (next) => next }
export type Level = LogEntry['level']

// Types that could not be resolved would be `any`, and accept these.
// @ts-expect-error -- a port is a number
export const listening = app.listen('80')
// @ts-expect-error -- the option does not exist
export const misspelt: AppOptions = { controlers: [] }
// @ts-expect-error -- a URL is a string
export const numeric = postgres({ url: 5432 })
// @ts-expect-error -- the level of a log entry is not a symbol
export const entry: LogEntry = { level: Symbol('info') }
