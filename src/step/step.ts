import type { Response } from '../contracts/handler.js'
import type { BlazonRequest } from '../http/request.js'

/**
 * One step of a route. A step handles the request itself, or calls the next step and returns its result:
 * directly, or as a promise when it must wait. A step stops the request by returning a `Refusal` or by
 * throwing.
 */
export type Step = (req: BlazonRequest, res: Response) => unknown

/**
 * Creates a step. The boot calls it once for each route.
 *
 * @param next The step that runs after the new one.
 */
export type StepFactory = (next: Step) => Step

/** Sends the value that the steps returned as the response, unless a response was already sent. */
export type Settle = (value: unknown, req: BlazonRequest, res: Response) => void

/** A compiled route. It never throws, and it handles the rejection of every promise that it creates. */
export type RunRoute = (req: BlazonRequest, res: Response) => void

/**
 * Handles the error of a request. It always ends the request: with a response, or by closing the connection.
 */
export type OnError = (error: unknown, req: BlazonRequest, res: Response) => void
