import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundError,
  Post,
  type Request,
  requireTenantId,
  Tenant,
} from 'blazon'
import { idOf, Note, Notes, type ShownNote } from './notes.js'

/** An application of four leaks, and of two operations that have none. */
export function leakyControllers() {
  const notes = new Notes()
  const cache = new Map<string, ShownNote[]>()
  const flights = new Map<string, Promise<ShownNote[]>>()
  let asking = ''

  @Tenant()
  @Controller('notes')
  class NotesController {
    @Post()
    @HttpCode(201)
    @Body(Note)
    add(req: Request) {
      return notes.add(requireTenantId(), req.body.text)
    }

    @Get()
    list() {
      return notes.of(requireTenantId())
    }

    /** Answers by id, whoever asks. */
    @Get(':id')
    async byId(req: Request) {
      const note = await notes.byId(idOf(req))
      if (note === undefined) throw new NotFoundError('There is no such note')
      return note
    }
  }

  @Tenant()
  @Controller('reports')
  class ReportsController {
    /** Keeps what was made for one under a key that is everybody's. */
    @Get('cached')
    async cached(req: Request) {
      const key = req.originalUrl
      const made = cache.get(key) ?? (await notes.of(requireTenantId()))
      cache.set(key, made)
      return made
    }

    /** Remembers who asks where the next one writes over it. */
    @Get('asking')
    async asking() {
      asking = requireTenantId()
      await Promise.resolve()
      return await notes.of(asking)
    }

    /** Lets one wait for what is being made for another. */
    @Get('flight')
    flight(req: Request) {
      const key = req.path
      const flight = flights.get(key) ?? notes.of(requireTenantId())
      flights.set(key, flight)
      return flight.finally(() => flights.delete(key))
    }
  }

  return [NotesController, ReportsController]
}
