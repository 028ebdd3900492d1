import { Controller, Get, Path, Route } from 'tsoa'

@Route('users')
export class ClashingController extends Controller {
  @Get('{name}')
  public getByName(@Path() name: string): string {
    return `${name} is never reached`
  }
}
