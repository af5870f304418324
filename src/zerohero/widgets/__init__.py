"""Live widgets: views whose kernel answers. ipywidgets by way of anywidget; nothing heavy is imported until a widget is made."""
