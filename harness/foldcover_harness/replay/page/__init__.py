"""The report as one HTML file: `build.py` puts it together, `charts.py` draws, `ruler.py` tells the cover's life."""
