"""What every part of the library uses: input checks, frozen results, signed rows, hyperplanes."""
