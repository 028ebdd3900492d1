import express, { type Application } from 'express'
import { describe, expect, it } from 'vitest'
import {
  createExpressApp,
  createExpressRouter,
  expressRequest,
  expressResponse,
} from '../../../src/http/express-parts.js'

/** What can be seen of an object's own properties: names, kinds and flags. */
function shapeOf(value: object): unknown {
  return Object.entries(Object.getOwnPropertyDescriptors(value))
    .map(([name, { get, value: held, ...flags }]) => [name, typeof get, typeof held, flags])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/** What the types do not describe: the prototypes of an application's requests and responses. */
function prototypesOf(app: Application): Record<'request' | 'response', { app?: unknown }> {
  return app as unknown as Record<'request' | 'response', { app?: unknown }>
}

describe('the parts of Express that are loaded separately', () => {
  it('are the same objects as express.request and express.response', () => {
    expect(expressRequest).toBe(express.request)
    expect(expressResponse).toBe(express.response)
  })

  it('create the same application as `express()`', () => {
    const [own, original] = [createExpressApp(), express()]
    expect(shapeOf(own)).toEqual(shapeOf(original))
    for (const name of ['request', 'response'] as const) {
      const [prototype, originalPrototype] = [prototypesOf(own)[name], prototypesOf(original)[name]]
      expect(shapeOf(prototype)).toEqual(shapeOf(originalPrototype))
      expect(Object.getPrototypeOf(prototype)).toBe(express[name])
      expect(prototype.app).toBe(own)
    }
    expect(Object.keys(own.settings).sort()).toEqual(Object.keys(original.settings).sort())
  })

  it('create the same router as `express.Router()`', () => {
    const [own, original] = [createExpressRouter(), express.Router()]
    expect(Object.keys(own)).toEqual(Object.keys(original))
    expect(Object.getPrototypeOf(Object.getPrototypeOf(own))).toBe(
      Object.getPrototypeOf(Object.getPrototypeOf(original)),
    )
  })
})
