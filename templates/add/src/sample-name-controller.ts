import { Controller, Get } from 'blazon';

@Controller('sample-name')
export class SampleNameController {
  @Get(':id')
  get({ params }: { params: { id: string } }) {
    return { id: params.id };
  }
}
